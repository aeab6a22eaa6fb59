// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace placement::mpi {

// A group of processes whose ranks are translated to ranks of MPI_COMM_WORLD. Each rank is translated at its first use,
// because a program communicates with few of its peers, and some MPI libraries translate in linear time.
class WorldRanks {
 public:
  static constexpr std::int32_t outside = -1;  // a process that is not in MPI_COMM_WORLD

  // Returns the ranks of MPI_COMM_WORLD itself, with `size` processes.
  static std::unique_ptr<WorldRanks> of_world(std::int32_t size);
  // Returns the ranks of a group. The object owns and frees the group.
  static std::unique_ptr<WorldRanks> of_group(MPI_Group group);
  ~WorldRanks();
  WorldRanks(const WorldRanks&) = delete;
  WorldRanks& operator=(const WorldRanks&) = delete;

  std::int32_t size() const { return size_; }
  // Returns the world rank of the process `rank` (0 to size() - 1), or `outside`.
  std::int32_t world(std::int32_t rank) const {
    if (known_.empty()) return rank;
    const std::int32_t known = known_[rank].load(std::memory_order_relaxed);
    return known != unknown ? known : translate(rank);
  }

 private:
  static constexpr std::int32_t unknown = -2;
  WorldRanks() = default;
  std::int32_t translate(std::int32_t rank) const;

  std::int32_t size_ = 0;
  MPI_Group group_ = MPI_GROUP_NULL;
  mutable std::vector<std::atomic<std::int32_t>> known_;
};

// The profiler's data of a communicator. It exists as long as the communicator.
struct CommInfo {
  std::int32_t rank = 0;
  std::int32_t size = 0;  // of the local group
  bool inter = false;
  std::unique_ptr<WorldRanks> local;
  std::unique_ptr<WorldRanks> remote;  // null unless it is an inter-communicator

  // Returns the group to which the rank argument of a send refers.
  const WorldRanks& peers() const { return inter ? *remote : *local; }

  // The neighbours in a process topology, in the order of neighbourhood collectives. At the border of a Cartesian grid
  // a neighbour is MPI_PROC_NULL.
  std::vector<int> destinations;
  std::vector<int> weights;  // of a weighted distributed graph; otherwise empty
};

// Returns the data of a communicator; null for MPI_COMM_NULL and before start_world_ranks(). It makes local MPI calls
// only. Any thread may call it.
const CommInfo* comm_info(MPI_Comm comm);
// Returns the group of a window; null for MPI_WIN_NULL and before start_world_ranks(). It makes local MPI calls only.
// Any thread may call it.
const WorldRanks* window_ranks(MPI_Win win);

// Prepares the translation of ranks after MPI_Init. `world` is the communicator that the program sees as
// MPI_COMM_WORLD.
void start_world_ranks(MPI_Comm world);
// Frees the data of all communicators and windows before MPI_Finalize.
void stop_world_ranks();

}  // namespace placement::mpi

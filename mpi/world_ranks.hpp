// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace placement {

// A group of processes whose ranks are wanted as ranks of MPI_COMM_WORLD. Translated one by one on
// demand: a program talks to few of its peers, and some libraries translate in linear time.
class WorldRanks {
 public:
  static constexpr std::int32_t outside = -1;  // a process that is not in MPI_COMM_WORLD

  static std::unique_ptr<WorldRanks> of_world(std::int32_t size);  // MPI_COMM_WORLD itself
  static std::unique_ptr<WorldRanks> of_group(MPI_Group group);    // takes the group over
  ~WorldRanks();
  WorldRanks(const WorldRanks&) = delete;
  WorldRanks& operator=(const WorldRanks&) = delete;

  std::int32_t size() const { return size_; }
  // `rank` is in 0..size-1.
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

// A communicator as the profiler sees it; lives as long as the communicator.
struct CommInfo {
  std::int32_t rank = 0;
  std::int32_t size = 0;  // of the local group
  bool inter = false;
  std::unique_ptr<WorldRanks> local;
  std::unique_ptr<WorldRanks> remote;  // of an inter-communicator, else null

  // Those whom a rank argument of a send means.
  const WorldRanks& peers() const { return inter ? *remote : *local; }

  // Neighbours of a process topology, in the order of neighbourhood collectives; MPI_PROC_NULL in a
  // Cartesian grid's border.
  bool has_topology = false;
  std::vector<int> destinations;
  std::vector<int> weights;  // of a distributed graph that has some, else empty
};

// What is known of a communicator or window. Local calls only, any thread. Null for MPI_COMM_NULL,
// MPI_WIN_NULL and before start_world_ranks().
const CommInfo* comm_info(MPI_Comm comm);
const WorldRanks* window_ranks(MPI_Win win);

// After MPI_Init and before MPI_Finalize. `world` is what the program sees as MPI_COMM_WORLD.
void start_world_ranks(MPI_Comm world);
void stop_world_ranks();

}  // namespace placement

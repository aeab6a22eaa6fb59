// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/world_ranks.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace placement::mpi {
namespace {

MPI_Group world_group = MPI_GROUP_NULL;

// Handles and their data. An attribute on each handle reports when it is freed, because MPI may use the handle again.
// The tables are never destroyed, because other threads may still use them when the process ends.
template <class Handle, class Info>
class HandleTable {
 public:
  const Info* find(Handle handle) {
    if (last_.handle == handle && last_.generation == generation_.load(std::memory_order_acquire)) return last_.info;
    const std::uint64_t generation = generation_.load(std::memory_order_acquire);
    const std::shared_lock lock(mutex_);
    const auto found = known_.find(handle);
    if (found == known_.end()) return nullptr;
    last_ = {handle, found->second.get(), generation};
    return last_.info;
  }

  const Info* insert(Handle handle, std::unique_ptr<Info> info) {
    const std::unique_lock lock(mutex_);
    return known_.emplace(handle, std::move(info)).first->second.get();
  }

  void erase(Handle handle) {
    const std::unique_lock lock(mutex_);
    known_.erase(handle);
    generation_.fetch_add(1, std::memory_order_release);
  }

  void clear() {
    const std::unique_lock lock(mutex_);
    known_.clear();
    generation_.fetch_add(1, std::memory_order_release);
  }

 private:
  struct Last {
    Handle handle;
    const Info* info;
    std::uint64_t generation;
  };
  static inline thread_local Last last_{};

  std::atomic<std::uint64_t> generation_{1};
  std::shared_mutex mutex_;
  std::unordered_map<Handle, std::unique_ptr<Info>> known_;
};

auto& comms = *new HandleTable<MPI_Comm, CommInfo>;
auto& windows = *new HandleTable<MPI_Win, WorldRanks>;
// One thread at a time examines a new handle. Setting the attribute twice would report the end of the first one.
std::mutex first_look;
int comm_keyval = MPI_KEYVAL_INVALID;
int win_keyval = MPI_KEYVAL_INVALID;

extern "C" int comm_freed(MPI_Comm comm, int, void*, void*) {
  comms.erase(comm);
  return MPI_SUCCESS;
}

extern "C" int window_freed(MPI_Win win, int, void*, void*) {
  windows.erase(win);
  return MPI_SUCCESS;
}

void look_at_topology(MPI_Comm comm, CommInfo& info) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      int below = MPI_PROC_NULL;
      int above = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, dimension, 1, &below, &above);
      info.destinations.insert(info.destinations.end(), {below, above});
    }
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    PMPI_Graph_neighbors_count(comm, info.rank, &count);
    info.destinations.resize(count);
    PMPI_Graph_neighbors(comm, info.rank, count, info.destinations.data());
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> sources(static_cast<std::size_t>(in) + 1);
    std::vector<int> source_weights(static_cast<std::size_t>(in) + 1);
    std::vector<int> weights(static_cast<std::size_t>(out) + 1);
    info.destinations.resize(static_cast<std::size_t>(out) + 1);
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? source_weights.data() : MPI_UNWEIGHTED, out,
                              info.destinations.data(), weighted ? weights.data() : MPI_UNWEIGHTED);
    info.destinations.resize(out);
    if (weighted) {
      weights.resize(out);
      info.weights = std::move(weights);
    }
  }
}

std::unique_ptr<CommInfo> look_at(MPI_Comm comm) {
  auto info = std::make_unique<CommInfo>();
  int inter = 0;
  PMPI_Comm_rank(comm, &info->rank);
  PMPI_Comm_size(comm, &info->size);
  PMPI_Comm_test_inter(comm, &inter);
  info->inter = inter != 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  info->local = WorldRanks::of_group(group);
  if (info->inter) {
    PMPI_Comm_remote_group(comm, &group);
    info->remote = WorldRanks::of_group(group);
  } else {
    look_at_topology(comm, *info);
  }
  return info;
}

}  // namespace

std::unique_ptr<WorldRanks> WorldRanks::of_world(std::int32_t size) {
  std::unique_ptr<WorldRanks> ranks(new WorldRanks);
  ranks->size_ = size;
  return ranks;
}

std::unique_ptr<WorldRanks> WorldRanks::of_group(MPI_Group group) {
  std::unique_ptr<WorldRanks> ranks(new WorldRanks);
  ranks->group_ = group;
  PMPI_Group_size(group, &ranks->size_);
  ranks->known_ = std::vector<std::atomic<std::int32_t>>(static_cast<std::size_t>(ranks->size_));
  for (auto& rank : ranks->known_) rank.store(unknown, std::memory_order_relaxed);
  return ranks;
}

WorldRanks::~WorldRanks() {
  if (group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
}

std::int32_t WorldRanks::translate(std::int32_t rank) const {
  int world = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group_, 1, &rank, world_group, &world);
  if (world == MPI_UNDEFINED) world = outside;
  known_[rank].store(world, std::memory_order_relaxed);
  return world;
}

const CommInfo* comm_info(MPI_Comm comm) {
  if (const CommInfo* info = comms.find(comm)) return info;
  if (comm == MPI_COMM_NULL || comm_keyval == MPI_KEYVAL_INVALID) return nullptr;
  const std::lock_guard lock(first_look);
  if (const CommInfo* info = comms.find(comm)) return info;
  const CommInfo* info = comms.insert(comm, look_at(comm));
  PMPI_Comm_set_attr(comm, comm_keyval, nullptr);
  return info;
}

const WorldRanks* window_ranks(MPI_Win win) {
  if (const WorldRanks* ranks = windows.find(win)) return ranks;
  if (win == MPI_WIN_NULL || win_keyval == MPI_KEYVAL_INVALID) return nullptr;
  const std::lock_guard lock(first_look);
  if (const WorldRanks* ranks = windows.find(win)) return ranks;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(win, &group);
  const WorldRanks* ranks = windows.insert(win, WorldRanks::of_group(group));
  PMPI_Win_set_attr(win, win_keyval, nullptr);
  return ranks;
}

void start_world_ranks(MPI_Comm seen) {
  PMPI_Comm_group(seen, &world_group);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_freed, &comm_keyval, nullptr);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, window_freed, &win_keyval, nullptr);
  auto world = std::make_unique<CommInfo>();
  PMPI_Comm_rank(seen, &world->rank);
  PMPI_Comm_size(seen, &world->size);
  world->local = WorldRanks::of_world(world->size);
  comms.insert(MPI_COMM_WORLD, std::move(world));
}

void stop_world_ranks() {
  comms.clear();
  windows.clear();
  PMPI_Comm_free_keyval(&comm_keyval);
  PMPI_Win_free_keyval(&win_keyval);
  PMPI_Group_free(&world_group);
}

}  // namespace placement::mpi

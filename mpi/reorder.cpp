// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/reorder.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <type_traits>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/matrix_format.hpp"
#include "common/util/bytes.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/deadline.hpp"
#include "mpi/assignment_files.hpp"
#include "mpi/rank_order.hpp"
#include "mpi/environment.hpp"

namespace placement::mpi::reorder {

MPI_Comm world_stand_in = MPI_COMM_NULL;

namespace {

struct State {
  bool ready = false;  // all processes have valid settings, and reordering is enabled
  Settings settings;
  std::vector<std::int32_t> arities;  // of the hardware file; empty without one
};
State& state = *new State;

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, TopologyDeleter>;

// Loads packages, last-level caches and cores only, because other objects take time to find.
Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // The component x86 would move the process to each CPU in turn, which takes longer the more processes there are.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

// Returns whether the process is bound to some of the CPUs. If it is not, it has no position, and the hardware need
// not be read.
bool is_bound() {
  const std::vector<std::int32_t> cpus = allowed_cpus();
  return cpus.empty() || std::ssize(cpus) < sysconf(_SC_NPROCESSORS_ONLN);
}

// Returns the index of the object of this type that contains the whole set; -1 when there is none.
std::int64_t covering(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t set) {
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));)
    if (hwloc_bitmap_isincluded(set, object->cpuset)) return object->logical_index;
  return -1;
}

// Sets package, last-level cache and core in `path` by the CPU binding of this process, as numbered by hwloc. A level
// stays -1 if the binding spans several objects of it. All stay -1 if it is not bound or the hardware cannot be read.
void find_place_in_node(std::int64_t* path) {
  if (!is_bound()) return;
  const Topology topology = load();
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  if (topology && set && hwloc_get_cpubind(topology.get(), set, HWLOC_CPUBIND_PROCESS) == 0) {
    constexpr hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE};
    for (std::size_t level = 0; level < std::size(types); ++level)
      path[level] = covering(topology.get(), types[level], set);
    // A machine may have no last-level cache. The level then has 0 for all processes, so that the core below it counts.
    if (path[1] < 0 && path[2] >= 0) path[1] = 0;
  }
  hwloc_bitmap_free(set);
}

std::int64_t number_of_name(std::string_view name) { return static_cast<std::int64_t>(fnv1a(name) >> 1); }

ProcessPlace place_of_process() {
  ProcessPlace place;
  if (state.arities.empty()) {
    const std::int32_t ranks = size_of(MPI_COMM_WORLD);
    if (started_by_srun(ranks)) {
      const std::vector<std::string> switches = switches_of_address(environment_value("SLURM_TOPOLOGY_ADDR"),
                                                                    environment_value("SLURM_TOPOLOGY_ADDR_PATTERN"));
      for (std::size_t level = 0; level < std::min(switches.size(), ProcessPlace::switch_levels); ++level)
        place.path[level] = number_of_name(switches[level]);
    }
    place.path[ProcessPlace::switch_levels] = number_of_name(node_name(ranks));
    find_place_in_node(&place.path[ProcessPlace::switch_levels + 1]);
    return place;
  }
  // The path has the digits of the world rank in the mixed radix of the hardware file.
  std::int64_t rest = rank_in(MPI_COMM_WORLD);
  for (std::size_t level = state.arities.size(); level-- > 0;) {
    place.path[level] = level == 0 ? rest : rest % state.arities[level];
    rest /= state.arities[level];
  }
  return place;
}

void save_text(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) throw Error("cannot write " + path);
}

// Returns the new rank at each leaf of the hardware, -1 where there is none. Without a hardware file, the leaves are
// the processes of the communicator in their order.
std::vector<std::int32_t> ranks_of_leaves(const RankOrder& order, const std::vector<ProcessPlace>& places) {
  if (state.arities.empty()) return order.rank_of_process;
  const auto leaves = std::accumulate(state.arities.begin(), state.arities.end(), std::size_t{1}, std::multiplies<>());
  std::vector<std::int32_t> ranks(leaves, -1);
  for (std::size_t process = 0; process < places.size(); ++process) {
    std::size_t leaf = 0;
    for (std::size_t level = 0; level < state.arities.size(); ++level)
      leaf =
          leaf * static_cast<std::size_t>(state.arities[level]) + static_cast<std::size_t>(places[process].path[level]);
    ranks[leaf] = order.rank_of_process[process];
  }
  return ranks;
}

// Writes the published files of one reordering, at rank 0.
void save_files(const CommMatrix& matrix, const RankOrder& order, const std::vector<ProcessPlace>& places) {
  const std::string& prefix = state.settings.save;
  std::ostringstream rows;
  write_matrix(rows, matrix, MatrixFormat::dense);
  save_text(prefix + ".matrix", rows.str());
  const std::vector<std::int32_t> arities =
      state.arities.empty() ? std::vector<std::int32_t>{matrix.ranks()} : state.arities;
  save_text(prefix + ".hardware", format_hardware(arities));
  const auto neighbours = assignment_neighbours(matrix, ranks_of_leaves(order, places), arities);
  save_text(prefix + ".neighbours", format_neighbours(neighbours));
}

// Returns the new ranks for this communicator, at rank 0; empty when they do not change.
std::vector<int> decide(MPI_Comm comm, const CommMatrix& matrix, const std::vector<ProcessPlace>& places) {
  const auto begin = processor_time();
  const RankOrder order = order_ranks(matrix, places, state.settings.order);
  if (state.settings.report) {
    std::fprintf(stderr, "placement: %d ranks: %s hop-bytes in the order given, %s %s\n", matrix.ranks(),
                 to_string(order.natural_cost).c_str(), to_string(order.cost).c_str(),
                 order.changed ? "after reordering" : "(kept)");
    std::fprintf(stderr, "placement: the decision took %.3f ms of processor time\n",
                 std::chrono::duration<double, std::milli>(processor_time() - begin).count());
  }
  if (!state.settings.save.empty()) {
    try {
      save_files(matrix, order, places);
    } catch (const Error& error) {
      warn(comm, error.what());
    }
  }
  if (!order.changed) return {};
  return {order.rank_of_process.begin(), order.rank_of_process.end()};
}

// The place takes some milliseconds to find, so it is determined at the first use.
const ProcessPlace& place_of_this_process() {
  static const ProcessPlace place = place_of_process();
  return place;
}

// The places and edges of all processes, at rank 0.
struct Gathered {
  std::vector<ProcessPlace> places;
  std::vector<CommEdge> edges;
};

// Gathers the places of the processes, and the edges that each has in `mine`. The call is collective.
Gathered gathered(MPI_Comm comm, const std::vector<Edge>& mine) {
  struct Report {
    ProcessPlace place;
    std::int64_t bytes;  // size of its edges
  };
  const Report own{place_of_this_process(), static_cast<std::int64_t>(mine.size() * sizeof(Edge))};
  std::vector<Report> all(rank_in(comm) == 0 ? static_cast<std::size_t>(size_of(comm)) : 0);
  PMPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm);
  Gathered result;
  std::vector<int> lengths, offsets;
  int total = 0;
  for (const Report& report : all) {
    result.places.push_back(report.place);
    lengths.push_back(static_cast<int>(report.bytes));
    offsets.push_back(total);
    total += lengths.back();
  }
  std::vector<Edge> edges(static_cast<std::size_t>(total) / sizeof(Edge));
  PMPI_Gatherv(mine.data(), static_cast<int>(own.bytes), MPI_BYTE, edges.data(), lengths.data(), offsets.data(),
               MPI_BYTE, 0, comm);
  for (const Edge& edge : edges)
    if (edge.weight > 0) result.edges.push_back({edge.from, edge.to, edge.weight});
  return result;
}

// Returns the ranks that `ranks_at_root` returns at rank 0. When it throws an exception, ranks do not change, with a
// warning. The call is collective.
template <typename Ranks>
std::vector<int> decided(MPI_Comm comm, Ranks ranks_at_root) {
  std::vector<int> ranks;
  if (rank_in(comm) == 0) {
    try {
      ranks = ranks_at_root();
    } catch (const std::exception& error) {
      warn(comm, std::string(error.what()) + "; ranks stay as they are");
    }
  }
  const bool changed = !ranks.empty();
  ranks.resize(size_of(comm));
  ranks.push_back(changed);
  PMPI_Bcast(ranks.data(), static_cast<int>(ranks.size()), MPI_INT, 0, comm);
  if (ranks.back() == 0) return {};
  ranks.pop_back();
  return ranks;
}

void put_reordered_world() {
  std::vector<int> ranks = ranks_for(MPI_COMM_WORLD, state.settings.matrix);
  if (ranks.empty()) return;
  MPI_Comm made = MPI_COMM_NULL;
  if (with_ranks(MPI_COMM_WORLD, ranks, &made) != MPI_SUCCESS) return;
  PMPI_Comm_set_name(made, "MPI_COMM_WORLD");
  world_stand_in = made;
}

// Returns the settings from the environment. Throws Error when a variable has a wrong value.
Settings read_settings() {
  Settings settings;
  settings.order.method = word_setting<OrderMethod>(
      "PLACEMENT_REORDER_METHOD", {{"treematch", OrderMethod::treematch}, {"matching", OrderMethod::matching}});
  const std::string gain = environment_value("PLACEMENT_REORDER_GAIN");
  if (!gain.empty()) {
    char* end = nullptr;
    const double percent = std::strtod(gain.c_str(), &end);
    if (*end != '\0' || !(percent >= 0 && percent <= 100))
      throw Error("PLACEMENT_REORDER_GAIN=" + gain + ": expected a percentage from 0 to 100");
    settings.order.least_gain = percent / 100;
  }
  settings.enabled = word_setting<bool>("PLACEMENT_REORDER", {{"on", true}, {"off", false}});
  settings.report = word_setting<bool>("PLACEMENT_REORDER_REPORT", {{"no", false}, {"yes", true}});
  settings.hardware = environment_value("PLACEMENT_REORDER_HARDWARE");
  settings.matrix = environment_value("PLACEMENT_REORDER_MATRIX");
  settings.weight = word_setting<TrafficWeight>(
      "PLACEMENT_REORDER_WEIGHT", {{"bytes", TrafficWeight::bytes}, {"messages", TrafficWeight::messages}});
  settings.save = environment_value("PLACEMENT_REORDER_SAVE");
  return settings;
}

}  // namespace

void begin() {
  const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  std::string trouble;
  try {
    state.settings = read_settings();
    if (!state.settings.hardware.empty()) {
      state.arities = read_hardware(state.settings.hardware);
      const std::int64_t leaves =
          std::accumulate(state.arities.begin(), state.arities.end(), std::int64_t{1}, std::multiplies<>());
      if (leaves < ranks)
        throw Error(state.settings.hardware + ": " + std::to_string(leaves) + " places for " + std::to_string(ranks) +
                    " processes");
    }
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  int least[2] = {trouble.empty() ? ranks : rank, state.settings.enabled};  // over all ranks
  PMPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == least[0])
    std::fprintf(stderr, "placement: %s%s; nothing is reordered\n", trouble.c_str(),
                 rank == 0 ? "" : (" (rank " + std::to_string(rank) + ")").c_str());
  state.ready = least[0] == ranks && least[1] == 1;
  if (state.ready && !state.settings.matrix.empty()) put_reordered_world();
}

void end() {
  state.ready = false;
  if (world_stand_in == MPI_COMM_NULL) return;
  MPI_Comm made = world_stand_in;
  world_stand_in = MPI_COMM_NULL;
  PMPI_Comm_free(&made);
}

std::vector<int> ranks_for(MPI_Comm comm, const std::vector<Edge>& mine) {
  if (!state.ready) return {};
  Gathered all = gathered(comm, mine);
  return decided(comm,
                 [&] { return decide(comm, CommMatrix::from_edges(size_of(comm), std::move(all.edges)), all.places); });
}

std::vector<int> ranks_for(MPI_Comm comm, const std::string& matrix_file) {
  if (!state.ready) return {};
  const Gathered all = gathered(comm, {});
  return decided(comm,
                 [&] { return decide(comm, read_matrix(matrix_file, {.weight = state.settings.weight}), all.places); });
}

int with_ranks(MPI_Comm comm, const std::vector<int>& rank_of_process, MPI_Comm* made) {
  if (rank_of_process.empty()) return PMPI_Comm_dup(comm, made);
  std::vector<int> process_of_rank(rank_of_process.size());
  for (std::size_t process = 0; process < rank_of_process.size(); ++process)
    process_of_rank[rank_of_process[process]] = static_cast<int>(process);
  // All processes know the order. Therefore no communication is needed for it, as MPI_Comm_split would.
  MPI_Group group = MPI_GROUP_NULL, ordered = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Group_incl(group, static_cast<int>(process_of_rank.size()), process_of_rank.data(), &ordered);
  const int result = PMPI_Comm_create(comm, ordered, made);
  PMPI_Group_free(&ordered);
  PMPI_Group_free(&group);
  return result;
}

bool all_agree(MPI_Comm comm, bool statement) {
  int agreed = statement;
  PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT, MPI_LAND, comm);
  return agreed != 0;
}

void warn(MPI_Comm comm, const std::string& text) {
  if (rank_in(comm) == 0) std::fprintf(stderr, "placement: %s\n", text.c_str());
}

}  // namespace placement::mpi::reorder

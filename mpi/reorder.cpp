// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/reorder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numeric>
#include <sstream>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/matrix_write.hpp"
#include "common/util/checksum.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/processor_time.hpp"
#include "mpi/assignment_files.hpp"
#include "mpi/node_hardware.hpp"
#include "mpi/srun_environment.hpp"
#include "mpi/switch_address.hpp"

namespace placement::mpi::reorder {

MPI_Comm world_stand_in = MPI_COMM_NULL;

namespace {

struct State {
  bool ready = false;  // all processes have valid settings, and reordering is enabled
  Settings settings;
  std::vector<std::int32_t> arities;  // of the hardware file; empty without one
};
State& state = *new State;

bool started_by_srun() { return mpi::started_by_srun(size_of(MPI_COMM_WORLD)); }

std::int64_t number_of_name(std::string_view name) { return static_cast<std::int64_t>(fnv1a(name) >> 1); }

// Returns Slurm's name of the node, because the nodes of a test cluster share the host name; otherwise MPI's name.
std::string node_name() {
  const std::string name = started_by_srun() ? environment_value("SLURMD_NODENAME") : "";
  if (!name.empty()) return name;
  char buffer[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  PMPI_Get_processor_name(buffer, &length);
  return {buffer, static_cast<std::size_t>(length)};
}

ProcessPlace place_of_process() {
  ProcessPlace place;
  if (state.arities.empty()) {
    if (started_by_srun()) {
      const std::vector<std::string> switches = switches_of_address(environment_value("SLURM_TOPOLOGY_ADDR"),
                                                                    environment_value("SLURM_TOPOLOGY_ADDR_PATTERN"));
      for (std::size_t level = 0; level < std::min(switches.size(), ProcessPlace::switch_levels); ++level)
        place.path[level] = number_of_name(switches[level]);
    }
    place.path[ProcessPlace::switch_levels] = number_of_name(node_name());
    const NodePosition position = node_position();
    std::copy(position.path.begin(), position.path.end(), place.path.begin() + ProcessPlace::switch_levels + 1);
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

// Returns the places of all processes, at rank 0.
std::vector<ProcessPlace> gathered_places(MPI_Comm comm) {
  std::vector<ProcessPlace> places(rank_in(comm) == 0 ? static_cast<std::size_t>(size_of(comm)) : 0);
  constexpr int words = static_cast<int>(ProcessPlace::levels);
  PMPI_Gather(place_of_this_process().path.data(), words, MPI_INT64_T, places.data(), words, MPI_INT64_T, 0, comm);
  return places;
}

// The message of a process to rank 0. Messages are the main cost of reordering, so edges are included, as many as the
// largest common stencil has. If some process has more edges, a second round brings the rest.
struct Report {
  static constexpr int most_edges = 26;
  ProcessPlace place;
  std::int32_t edges = 0;  // number of edges of the process, which may be more than are in this message
  Edge edge[most_edges] = {};
};

// The places and edges of all processes, at rank 0.
struct Gathered {
  std::vector<ProcessPlace> places;
  std::vector<CommEdge> edges;
  bool complete = true;

  void add(const Edge& edge) {
    if (edge.weight > 0) edges.push_back({edge.from, edge.to, edge.weight});
  }
};

Gathered gathered(MPI_Comm comm, const std::vector<Edge>& mine) {
  Report own;
  own.place = place_of_this_process();
  own.edges = static_cast<std::int32_t>(mine.size());
  std::copy_n(mine.begin(), std::min(mine.size(), static_cast<std::size_t>(Report::most_edges)), own.edge);
  std::vector<Report> all(rank_in(comm) == 0 ? static_cast<std::size_t>(size_of(comm)) : 0);
  PMPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm);
  Gathered result;
  for (const Report& report : all) {
    result.places.push_back(report.place);
    result.complete = result.complete && report.edges <= Report::most_edges;
    for (int i = 0; i < std::min(report.edges, Report::most_edges); ++i) result.add(report.edge[i]);
  }
  return result;
}

// Sends the edges that were not in the first message to rank 0. The call is collective.
void gather_the_rest(MPI_Comm comm, const std::vector<Edge>& mine, Gathered& all) {
  const int sent = std::min(static_cast<int>(mine.size()), Report::most_edges);
  const int bytes = (static_cast<int>(mine.size()) - sent) * static_cast<int>(sizeof(Edge));
  std::vector<int> lengths(all.places.size());
  PMPI_Gather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::vector<Edge> edges(lengths.empty() ? 0
                                          : static_cast<std::size_t>(offsets.back() + lengths.back()) / sizeof(Edge));
  PMPI_Gatherv(mine.data() + sent, bytes, MPI_BYTE, edges.data(), lengths.data(), offsets.data(), MPI_BYTE, 0, comm);
  for (const Edge& edge : edges) all.add(edge);
}

enum Answer { keep_ranks, new_ranks, send_the_rest };

// Broadcasts the answer of rank 0 and the ranks. The answer follows the ranks in the message.
Answer answered(MPI_Comm comm, Answer answer, std::vector<int>& ranks) {
  ranks.resize(static_cast<std::size_t>(size_of(comm)));
  ranks.push_back(answer);
  PMPI_Bcast(ranks.data(), static_cast<int>(ranks.size()), MPI_INT, 0, comm);
  answer = static_cast<Answer>(ranks.back());
  ranks.pop_back();
  if (answer != new_ranks) ranks.clear();
  return answer;
}

std::vector<int> shared(MPI_Comm comm, std::vector<int> ranks) {
  answered(comm, ranks.empty() ? keep_ranks : new_ranks, ranks);
  return ranks;
}

// Returns the ranks that `ranks_at_root` returns at rank 0. When it throws an exception, ranks do not change, with a
// warning.
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
  return shared(comm, std::move(ranks));
}

void put_reordered_world() {
  std::vector<int> ranks = ranks_for(MPI_COMM_WORLD, state.settings.matrix);
  if (ranks.empty()) return;
  MPI_Comm made = MPI_COMM_NULL;
  if (with_ranks(MPI_COMM_WORLD, ranks, &made) != MPI_SUCCESS) return;
  PMPI_Comm_set_name(made, "MPI_COMM_WORLD");
  world_stand_in = made;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  const std::string method = environment_value("PLACEMENT_REORDER_METHOD");
  if (method == "matching")
    settings.order.method = OrderMethod::matching;
  else if (!method.empty() && method != "treematch")
    throw Error("PLACEMENT_REORDER_METHOD=" + method + ": expected treematch or matching");
  const std::string gain = environment_value("PLACEMENT_REORDER_GAIN");
  if (!gain.empty()) {
    char* end = nullptr;
    const double percent = std::strtod(gain.c_str(), &end);
    if (*end != '\0' || !(percent >= 0 && percent <= 100))
      throw Error("PLACEMENT_REORDER_GAIN=" + gain + ": expected a percentage from 0 to 100");
    settings.order.least_gain = percent / 100;
  }
  const std::string mode = environment_value("PLACEMENT_REORDER");
  if (mode == "off")
    settings.enabled = false;
  else if (!mode.empty() && mode != "on")
    throw Error("PLACEMENT_REORDER=" + mode + ": expected on or off");
  const std::string report = environment_value("PLACEMENT_REORDER_REPORT");
  if (!report.empty() && report != "yes" && report != "no")
    throw Error("PLACEMENT_REORDER_REPORT=" + report + ": expected yes or no");
  settings.report = report == "yes";
  settings.hardware = environment_value("PLACEMENT_REORDER_HARDWARE");
  settings.matrix = environment_value("PLACEMENT_REORDER_MATRIX");
  const std::string weight = environment_value("PLACEMENT_REORDER_WEIGHT");
  if (weight == "messages")
    settings.weight = TrafficWeight::messages;
  else if (!weight.empty() && weight != "bytes")
    throw Error("PLACEMENT_REORDER_WEIGHT=" + weight + ": expected bytes or messages");
  settings.save = environment_value("PLACEMENT_REORDER_SAVE");
  return settings;
}

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
  std::vector<int> ranks;
  if (rank_in(comm) != 0 || !all.complete) {
    if (answered(comm, send_the_rest, ranks) != send_the_rest) return ranks;
    gather_the_rest(comm, mine, all);
    if (rank_in(comm) != 0) return shared(comm, {});
  }
  return decided(comm,
                 [&] { return decide(comm, CommMatrix::from_edges(size_of(comm), std::move(all.edges)), all.places); });
}

std::vector<int> ranks_for(MPI_Comm comm, const std::string& matrix_file) {
  if (!state.ready) return {};
  const std::vector<ProcessPlace> places = gathered_places(comm);
  return decided(comm,
                 [&] { return decide(comm, read_matrix(matrix_file, {.weight = state.settings.weight}), places); });
}

int split_by_ranks(MPI_Comm comm, const std::vector<int>& rank_of_process, MPI_Comm* made) {
  const int size = size_of(comm);
  std::vector<bool> taken(static_cast<std::size_t>(size), false);
  bool permutation = static_cast<int>(rank_of_process.size()) == size;
  std::vector<int> process_of_rank(static_cast<std::size_t>(size));
  for (std::size_t process = 0; process < rank_of_process.size(); ++process) {
    const int wanted = rank_of_process[process];
    permutation = permutation && wanted >= 0 && wanted < size && !taken[wanted];
    if (!permutation) break;
    taken[wanted] = true;
    process_of_rank[wanted] = static_cast<int>(process);
  }
  if (!permutation) return PMPI_Comm_dup(comm, made);
  // All processes know the order. Therefore no communication is needed for it, as MPI_Comm_split would.
  MPI_Group group = MPI_GROUP_NULL, ordered = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Group_incl(group, size, process_of_rank.data(), &ordered);
  const int result = PMPI_Comm_create(comm, ordered, made);
  PMPI_Group_free(&ordered);
  PMPI_Group_free(&group);
  return result;
}

int with_ranks(MPI_Comm comm, const std::vector<int>& rank_of_process, MPI_Comm* made) {
  const int result = split_by_ranks(comm, rank_of_process, made);
  if (result != MPI_SUCCESS || rank_of_process.empty()) return result;
  if (all_agree(comm, rank_in(*made) == rank_of_process[rank_in(comm)])) return MPI_SUCCESS;
  warn(comm, "the MPI library does not assign the requested ranks; ranks stay as they are");
  PMPI_Comm_free(made);
  return PMPI_Comm_dup(comm, made);
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

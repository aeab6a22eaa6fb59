// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/launcher_files.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

const std::string& node_of(const Layout& layout, std::size_t rank) {
  return layout.view.nodes[layout.places[rank].node].name;
}

// Successive ranks on one node.
struct Run {
  std::string node;
  std::size_t ranks;
};

std::vector<Run> runs_of(const Layout& layout) {
  std::vector<Run> runs;
  for (std::size_t rank = 0; rank < layout.places.size(); ++rank)
    if (runs.empty() || runs.back().node != node_of(layout, rank))
      runs.push_back({node_of(layout, rank), 1});
    else
      ++runs.back().ranks;
  return runs;
}

// The numbers of a socket and a core of a node. mpirun counts the sockets and cores that it sees.
struct SocketCore {
  std::int32_t socket;
  std::int32_t core;
};

// Returns the socket and core numbers of each core of the node. Cores that mpirun does not see keep their own numbers.
std::vector<SocketCore> socket_cores(const NodeView& node, bool of_job) {
  std::vector<SocketCore> numbers;
  std::int32_t next_socket = 0;
  for (std::int32_t socket = 0; socket < node.sockets; ++socket) {
    std::int32_t next_core = 0;
    for (std::int32_t core = 0; core < node.cores_per_socket; ++core) {
      const bool seen = node.core_free[socket * node.cores_per_socket + core];
      numbers.push_back(of_job && seen ? SocketCore{next_socket, next_core} : SocketCore{socket, core});
      if (seen) ++next_core;
    }
    if (next_core > 0) ++next_socket;
  }
  return numbers;
}

// Returns cores in a rankfile's form: "0:1,2;1:0" means cores 1 and 2 of socket 0, and core 0 of socket 1.
std::string format_slot(const std::vector<std::int32_t>& cores, const std::vector<SocketCore>& numbers) {
  std::map<std::int32_t, std::string> of_socket;
  for (const std::int32_t core : cores) {
    std::string& list = of_socket[numbers[core].socket];
    list += (list.empty() ? "" : ",") + std::to_string(numbers[core].core);
  }
  return joined(of_socket, ";", [](const auto& one) { return std::to_string(one.first) + ":" + one.second; });
}

// Open MPI's rankfile, with lines such as "rank 0=n1 slot=1:2,3" (socket 1, cores 2 and 3).
std::string format_rankfile(const Layout& layout) {
  std::vector<std::vector<SocketCore>> numbers;
  for (const NodeView& node : layout.view.nodes)
    numbers.push_back(socket_cores(node, layout.numbering == spank::CoreNumbering::of_job));
  std::string text;
  for (std::size_t rank = 0; rank < layout.places.size(); ++rank) {
    const RankPlace& place = layout.places[rank];
    if (place.cores.empty())
      throw Error(
          "--format rankfile: more tasks than hardware threads: use srun, or allocate "
          "without --overcommit");
    text += "rank " + std::to_string(rank) + "=" + node_of(layout, rank) +
            " slot=" + format_slot(place.cores, numbers[place.node]) + "\n";
  }
  return text;
}

// The ranks in the order of the nodes and of their first cores, one line per node, separated by commas. Cray MPICH
// reads it with MPICH_RANK_REORDER_METHOD=3.
std::string format_rank_order(const Layout& layout) {
  std::vector<std::vector<std::size_t>> ranks_of_node(layout.view.nodes.size());
  for (std::size_t rank = 0; rank < layout.places.size(); ++rank)
    ranks_of_node[layout.places[rank].node].push_back(rank);
  std::string text;
  for (std::vector<std::size_t>& ranks : ranks_of_node) {
    std::ranges::stable_sort(ranks, {}, [&](std::size_t rank) { return layout.places[rank].cores; });
    for (std::size_t i = 0; i < ranks.size(); ++i)
      text += std::to_string(ranks[i]) + (i + 1 < ranks.size() ? "," : "\n");
  }
  return text;
}

// One line for each node, in the order of its ranks: the node, and the options for torchrun there.
std::string format_torchrun(const Layout& layout) {
  const std::vector<Run> runs = runs_of(layout);
  std::vector<std::string> nodes;
  for (const Run& run : runs) nodes.push_back(run.node);
  std::ranges::sort(nodes);
  if (std::ranges::adjacent_find(nodes) != nodes.end() ||
      std::ranges::any_of(runs, [&](const Run& run) { return run.ranks != runs.front().ranks; }))
    throw Error(
        "--format torchrun: torchrun gives each node an equal number of successive ranks: allocate one task per node "
        "(--ntasks-per-node=1)");
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    text +=
        runs[i].node + " --nnodes=" + std::to_string(runs.size()) + " --node-rank=" + std::to_string(i) +
        " --nproc-per-node=" + std::to_string(static_cast<std::int64_t>(runs[i].ranks) * layout.processes_per_rank) +
        " --master-addr=" + runs.front().node + "\n";
  return text;
}

// The options for srun with SLURM_HOSTFILE.
std::string format_srun(const Layout& layout) {
  return "--distribution=arbitrary --ntasks=" + std::to_string(layout.places.size()) + "\n";
}

constexpr LauncherFormat formats[] = {
    {"hostfile", format_hostfile},      {"rankfile", format_rankfile}, {"machinefile", format_machinefile},
    {"mpich-order", format_rank_order}, {"torchrun", format_torchrun}, {"srun", format_srun},
};

}  // namespace

std::string format_hostfile(const Layout& layout) {
  std::string text;
  for (std::size_t rank = 0; rank < layout.places.size(); ++rank) text += node_of(layout, rank) + "\n";
  return text;
}

std::string format_machinefile(const Layout& layout) {
  std::string text;
  for (const Run& run : runs_of(layout)) text += run.node + ":" + std::to_string(run.ranks) + "\n";
  return text;
}

const LauncherFormat* find_launcher_format(std::string_view name) {
  const auto found = std::ranges::find(formats, name, &LauncherFormat::name);
  return found == std::end(formats) ? nullptr : found;
}

std::string launcher_format_names() {
  return joined(formats, ", ", [](const LauncherFormat& format) { return format.name; });
}

}  // namespace placement::tools

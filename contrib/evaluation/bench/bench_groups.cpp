// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the leaf switches that the worst group of ranks spans, for training jobs of PP x TP x DP ranks on states of a
// machine. Compares first fit, stock Slurm 26.05, and TREEMATCH=tp=..,pp=..,dp=.. with both objectives.
//   bench_groups FILE..
// A file has the free cores of Curie in the format of "placectl simulate --free-cores". Each state gets one job with
// one rank per free node, and one job with ranks on cores. Successive jobs have 16 to 512 ranks. A state with too
// little room gets a smaller job.
// The groups are those of objective=worst-group, here the ranks of tensor parallelism, which have the most traffic.
// Slurm 26.05 is modelled. The nodes of topology/tree are those of the replay (sim/stock_choice.hpp), fewest nodes
// first. Tasks are in blocks on these nodes, in the order of leaf switches and then of nodes (topology_p_get_rank and
// _task_layout_topo in Slurm's source). Here nodes are numbered switch by switch, so this is also the order of their
// names, in which earlier versions distribute tasks.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "common/util/error.hpp"
#include "pattern/pattern.hpp"
#include "policies/table.hpp"
#include "sim/stock_choice.hpp"
#include "tools/input/leaf_files.hpp"
#include "treematch/heavy_groups.hpp"

using namespace placement;

namespace {

constexpr std::int32_t cores_of_socket = 8, sockets_of_node = 2, cores_of_node = 16, nodes_of_switch = 18,
                       nodes_of_machine = 5040;
constexpr std::int32_t arities[] = {14, 20, 18, 2, 8};
constexpr const char* jobs[] = {"tp=4,pp=2,dp=2", "tp=8,pp=2,dp=2",  "tp=8,pp=4,dp=2",
                                "tp=8,pp=4,dp=4", "tp=16,pp=4,dp=4", "tp=16,pp=8,dp=4"};
constexpr const char* objectives[] = {"hop-bytes", "worst-group"};

// Sums over the states for one job.
struct Row {
  int states = 0;
  double first_fit = 0;         // leaf switches of the worst group
  double stock = 0;             // leaf switches of the worst group by Slurm 26.05
  double by_objective[2] = {};  // leaf switches of the worst group by TREEMATCH with each of `objectives`
  int spread = 0;               // states in which first fit spreads the worst group
};

// Returns a machine with the free cores. If `whole` is true, it has only the nodes whose cores are all free, and each
// node has one core.
ClusterView machine(const std::vector<std::int32_t>& free_cores, bool whole) {
  std::vector<std::vector<bool>> free(nodes_of_machine, std::vector<bool>(cores_of_node, false));
  for (const std::int32_t core : free_cores) free[core / cores_of_node][core % cores_of_node] = true;
  ClusterView view;
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(std::span(arities).first(whole ? 3 : 5)));
  for (std::int32_t node = 0; node < nodes_of_machine; ++node) {
    const auto count = std::count(free[node].begin(), free[node].end(), true);
    if (count == 0 || (whole && count < cores_of_node)) continue;
    NodeView offered;
    offered.name = std::to_string(node);
    offered.first_leaf = whole ? node : node * cores_of_node;
    offered.sockets = whole ? 1 : sockets_of_node;
    offered.cores_per_socket = whole ? 1 : cores_of_socket;
    offered.core_free = whole ? std::vector<bool>{true} : free[node];
    view.nodes.push_back(std::move(offered));
  }
  return view;
}

using Groups = std::vector<std::vector<std::int32_t>>;

template <typename SwitchOfRank>
std::int32_t worst_span(const Groups& groups, SwitchOfRank switch_of_rank) {
  std::size_t worst = 0;
  for (const std::vector<std::int32_t>& group : groups) {
    std::set<std::int32_t> switches;
    for (const std::int32_t rank : group) switches.insert(switch_of_rank(static_cast<std::size_t>(rank)));
    worst = std::max(worst, switches.size());
  }
  return static_cast<std::int32_t>(worst);
}

std::int32_t worst_span(const ClusterView& view, const Placement& placement, const Groups& groups) {
  return worst_span(groups, [&](std::size_t rank) {
    return std::stoi(view.nodes[placement.ranks[rank].node].name) / nodes_of_switch;
  });
}

std::int32_t stock_span(const ClusterView& view, std::int32_t ranks, const Groups& groups) {
  sim::Machine machine(view);
  for (const NodeView& node : view.nodes)
    for (std::size_t core = 0; core < node.core_free.size(); ++core)
      if (const std::int32_t leaf = node.first_leaf + static_cast<std::int32_t>(core); !node.core_free[core])
        machine.take({&leaf, 1});
  const std::vector<std::int32_t> leaves = sim::stock_choice(machine, ranks, sim::StockRequest::nodes);
  return worst_span(groups, [&](std::size_t rank) { return machine.switch_of(machine.node_of(leaves[rank])); });
}

void measure(const ClusterView& view, std::size_t job, std::map<std::size_t, Row>& rows) {
  std::int64_t room = 0;
  for (const NodeView& node : view.nodes) room += std::count(node.core_free.begin(), node.core_free.end(), true);
  const auto ranks = [](std::size_t of) { return *pattern::fixed_ranks(pattern::parse_pattern(jobs[of])); };
  while (job > 0 && ranks(job) > room) --job;
  if (ranks(job) > room) return;
  Row& row = rows[job];
  const pattern::Pattern pattern = pattern::parse_pattern(jobs[job]);
  Request request;
  request.tasks = ranks(job);
  request.matrix = std::make_shared<const CommMatrix>(pattern::matrix_of(pattern, request.tasks));
  const auto groups = treematch::heavy_groups(*request.matrix);
  const std::int32_t first =
      worst_span(view, policies::find_policy("SEQUENTIAL")->place(view, request, Deadline::never()), groups);
  ++row.states;
  row.first_fit += first;
  row.spread += first > 1;
  row.stock += stock_span(view, request.tasks, groups);
  for (std::size_t k = 0; k < std::size(objectives); ++k) {
    request.parameters["objective"] = objectives[k];
    row.by_objective[k] +=
        worst_span(view, policies::find_policy("TREEMATCH")->place(view, request, Deadline::never()), groups);
  }
}

void print(const char* title, const std::map<std::size_t, Row>& rows) {
  std::printf(
      "\n%s\n\n| job | states | first fit | Slurm 26.05 | hop-bytes | worst-group | over first fit | over Slurm 26.05 | first fit spreads a group |\n|---|---|---|---|---|---|---|---|---|\n",
      title);
  Row all;
  const auto line = [](const std::string& name, const Row& row) {
    std::printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %d |\n", name.c_str(), row.states,
                row.first_fit / row.states, row.stock / row.states, row.by_objective[0] / row.states,
                row.by_objective[1] / row.states, row.by_objective[1] / row.first_fit, row.by_objective[1] / row.stock,
                row.spread);
  };
  for (const auto& [job, row] : rows) {
    line(jobs[job], row);
    all.states += row.states;
    all.first_fit += row.first_fit;
    all.stock += row.stock;
    all.spread += row.spread;
    for (std::size_t k = 0; k < std::size(objectives); ++k) all.by_objective[k] += row.by_objective[k];
  }
  if (all.states > 0) line("all", all);
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::size_t, Row> on_nodes, on_cores;
  try {
    for (int k = 1; k < argc; ++k) {
      const std::vector<std::int32_t> cores = tools::read_available(argv[k], nodes_of_machine * cores_of_node);
      const std::size_t job = static_cast<std::size_t>(k - 1) % std::size(jobs);
      measure(machine(cores, true), job, on_nodes);
      measure(machine(cores, false), job, on_cores);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_groups: %s\n", error.what());
    return 1;
  }
  std::printf("leaf switches of the worst group of ranks, mean of the states with room for the job\n");
  print("A rank on each node:", on_nodes);
  print("A rank on each core:", on_cores);
}

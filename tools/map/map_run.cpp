// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/map_run.hpp"

#include <ctime>

#include <algorithm>
#include <limits>

#include "common/util/text.hpp"
#include "mapping/graph.hpp"
#include "mapping/greedy.hpp"
#include "mapping/slots.hpp"
#include "policies/fabric_choice.hpp"
#include "policies/table.hpp"
#include "tofa/torus_job.hpp"
#include "tofa/torus_map.hpp"
#include "treematch/objectives.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/treematch.hpp"
#include "mapping/tuning.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// Measures wall and processor time since its construction.
struct Stopwatch {
  void stop(MapOutcome& outcome) const {
    outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  }
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::clock_t cpu_start = std::clock();
};

Deadline deadline_of(const MapTask& task) {
  return task.deadline ? Deadline::after(*task.deadline) : Deadline::never();
}

void check_room(const MapTask& task) {
  if (static_cast<std::size_t>(task.matrix->ranks()) > task.usable.size())
    throw Error(formatted("the matrix has %d ranks, and %zu of the %d leaves are usable", task.matrix->ranks(),
                          task.usable.size(), task.view.tree->leaves()));
}

// Returns the node and the core of each leaf, for ranks with one core.
std::vector<RankPlace> places_of(const ClusterView& view, const std::vector<std::int32_t>& leaf_of_rank) {
  std::vector<std::int32_t> node_of_leaf(static_cast<std::size_t>(view.tree->leaves()), -1);
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    for (std::int32_t core = 0; core < view.nodes[n].cores(); ++core)
      node_of_leaf[view.nodes[n].first_leaf + core] = static_cast<std::int32_t>(n);
  std::vector<RankPlace> places;
  for (const std::int32_t leaf : leaf_of_rank) {
    const std::int32_t node = node_of_leaf[leaf];
    places.push_back({node, {leaf - view.nodes[node].first_leaf}});
  }
  return places;
}

// Marks only the usable leaves as free, so that policies use no others.
void mark_free_cores(ClusterView& view, const std::vector<std::int32_t>& usable) {
  for (NodeView& node : view.nodes)
    for (std::int32_t core = 0; core < node.cores(); ++core)
      node.core_free[core] = std::binary_search(usable.begin(), usable.end(), node.first_leaf + core);
}

// Returns a view for policies that need nodes on a machine without nodes: each usable leaf is a node with one core.
ClusterView leaf_nodes(const MapTask& task) {
  ClusterView view = task.view;
  for (const std::int32_t leaf : task.usable)
    view.nodes.push_back({std::to_string(leaf), leaf, 1, 1, 1, {true}, -1, view.torus ? leaf : -1});
  return view;
}

void map_leaves(const MapTask& task, MapOutcome& outcome) {
  treematch::MapOptions options = treematch::options_of(task.request);
  options.scope = treematch::scope_parameter(task.request.parameters);
  options.deadline = deadline_of(task);
  treematch::MapResult result = treematch::map_to_tree(*task.matrix, *task.view.tree, task.usable, options);
  if (options.scope != treematch::LeafScope::given &&
      task.matrix->ranks() <= mapping::tuning::most_ranks_searched_often) {
    options.scope = treematch::LeafScope::given;  // the first leaves may be beyond the scope, and still cost less
    treematch::MapResult first = treematch::map_to_tree(*task.matrix, *task.view.tree, task.usable, options);
    first.optimal = result.optimal;
    if (first.cost < result.cost) result = std::move(first);
  }
  outcome.leaf_of_rank = std::move(result.leaf_of_rank);
  outcome.reasons.push_back(result.method + (result.optimal               ? ", optimal"
                                             : options.deadline.expired() ? ", cut short by --deadline-ms"
                                                                          : ""));
}

// Repeats the two steps of a job: slurmctld chooses nodes and cores, then srun places the ranks on them. If the policy
// chose them (`by_policy`), srun knows the ranks that it planned for each node.
Placement on_what_was_chosen(const policies::Policy& policy, const ClusterView& view, const MapTask& task,
                             const Placement& chosen, bool by_policy) {
  ClusterView job = view;
  Request step = task.request;
  step.node_tasks.assign(view.nodes.size(), 0);
  for (NodeView& node : job.nodes)
    if (!step.whole_nodes) node.core_free.assign(node.core_free.size(), false);
  for (const RankPlace& rank : chosen.ranks) {
    ++step.node_tasks[rank.node];
    for (const std::int32_t core : rank.cores) job.nodes[rank.node].core_free[core] = true;
  }
  if (by_policy) step.planned_ranks = mapping::ranks_of_nodes(chosen, view.nodes.size());
  return policy.place(job, step, deadline_of(task));
}

// Returns the placement by a baseline policy, SEQUENTIAL or GREEDY, which obeys the limits of the request. It chooses
// nodes for itself. Throws Error if it cannot meet the request.
Placement baseline_placement(const MapTask& task, const ClusterView& view, const char* name) {
  Request request = task.request;
  request.parameters.clear();
  return policies::place_on_one_fabric(*policies::find_policy(name), view, request, Deadline::never());
}

bool one_core_each(const ClusterView& view) {
  return std::all_of(view.nodes.begin(), view.nodes.end(), [](const NodeView& node) { return node.cores() == 1; });
}

void ask_policy(const MapTask& task, const policies::Policy& policy, MapOutcome& outcome) {
  const bool has_nodes = !task.view.nodes.empty();
  const ClusterView view = has_nodes ? task.view : leaf_nodes(task);
  Placement placement;
  if (treematch::scope_parameter(task.request.parameters) ==
      treematch::LeafScope::given) {  // the choice of nodes is left to Slurm
    placement = on_what_was_chosen(policy, view, task, baseline_placement(task, view, "SEQUENTIAL"), false);
  } else if (policy.place_thoroughly && one_core_each(view)) {  // there is no choice within a node
    placement = policy.place_thoroughly(view, task.request, deadline_of(task));
  } else {
    placement = policies::place_on_one_fabric(policy, view, task.request, deadline_of(task));
    if (policy.for_users) {
      Placement step = on_what_was_chosen(policy, view, task, placement, true);
      if (step.cost == placement.cost) step.reasons = std::move(placement.reasons);  // these say how nodes were chosen
      placement = std::move(step);
    }
  }
  outcome.leaf_of_rank = mapping::first_leaves(view, placement);
  outcome.reasons = std::move(placement.reasons);
  outcome.natural_cost = placement.natural_cost;
  if (has_nodes) outcome.places = std::move(placement.ranks);
}

std::vector<std::int32_t> first_leaves(const MapTask& task) {
  return {task.usable.begin(), task.usable.begin() + task.matrix->ranks()};
}

const policies::Policy* table_policy(const PolicySpec& spec) {
  if (spec.policy == "NATURAL") {
    for (const auto& [key, value] : spec.parameters)
      throw UsageError("unknown key " + key + " for NATURAL, which has none");
    return nullptr;
  }
  return from_command_line([&]() -> const policies::Policy* { return &policies::check_policy_spec(spec); });
}

Cost cost_on(const MapTask& task, const std::vector<std::int32_t>& leaf_of_rank) {
  return mapping_cost(task.view, *task.matrix, leaf_of_rank);
}

// Returns the leaf of each rank by the greedy baseline, which places the heaviest pairs first.
std::vector<std::int32_t> greedy_on(const MapTask& task, const std::vector<std::int32_t>& usable) {
  const mapping::Graph graph = mapping::scaled_graph(*task.matrix);
  if (!task.view.torus) return mapping::greedy_leaves(graph, *task.view.tree, usable);
  const std::vector<std::int32_t> of_leaf = leaf_positions(task.view);
  tofa::TorusSlots slots{task.view.torus.get(), {}, nullptr};
  for (const std::int32_t leaf : usable) slots.position.push_back(of_leaf[leaf]);
  std::vector<std::int32_t> mapped = tofa::greedy_on_torus(graph, slots, mapping::WorkBudget());
  for (std::int32_t& slot : mapped) slot = usable[slot];
  return mapped;
}

// Returns the expected time by which TOFA compares mappings. It is 1 for the natural order without faults.
double objective_on_torus(const MapTask& task, const std::vector<std::int32_t>& leaf_of_rank) {
  const ClusterView view = task.view.nodes.empty() ? leaf_nodes(task) : task.view;
  const tofa::TorusJob job = tofa::torus_job(view, task.request);
  return tofa::TorusContest(job, job.slots.leaves(job.in_order())).expected_time(leaf_of_rank);
}

// Returns the cost of a baseline policy, as baseline_placement() names it; nothing if it cannot meet the request.
std::optional<Cost> baseline_cost(const MapTask& task, const char* name) {
  try {
    return cost_on(task, mapping::first_leaves(task.view, baseline_placement(task, task.view, name)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Returns whether a mapping to `leaves` can be counted in hops of the torus.
bool have_coordinates(const ClusterView& view, const std::vector<std::int32_t>& leaves) {
  const std::vector<std::int32_t> position = leaf_positions(view);
  return std::ranges::all_of(leaves, [&](std::int32_t leaf) { return position[leaf] >= 0; });
}

// Returns the cost of the greedy baseline on the leaves of a placement in an allocation, in hops of the torus or of the
// tree. The measure is that of the placement's own cost. Returns nothing if it is neither.
std::optional<Cost> greedy_cost_of(MapTask task, const MapOutcome& outcome) {
  std::vector<std::int32_t> leaves = outcome.leaf_of_rank;
  if (leaves.empty()) return std::nullopt;
  std::ranges::sort(leaves);
  if (task.view.torus && (!have_coordinates(task.view, leaves) || cost_on(task, outcome.leaf_of_rank) != outcome.cost))
    task.view.torus = nullptr;
  if (!task.view.torus && (!task.view.tree || cost_on(task, outcome.leaf_of_rank) != outcome.cost)) return std::nullopt;
  return cost_on(task, greedy_on(task, leaves));
}

}  // namespace

MapOutcome run_map(MapTask task) {
  const bool limited = task.request.max_nodes < INT32_MAX || task.request.min_nodes > 1 ||
                       task.request.equal_tasks_per_node || task.request.cores_per_task > 1 ||
                       !task.request.required_nodes.empty() || task.request.whole_nodes;
  const policies::Policy* policy = table_policy(task.spec);
  // Both baselines fill the first leaves, and with limits they are policies, which obey them.
  const bool natural = task.spec.policy == "NATURAL" && !limited;
  const bool greedy = task.spec.policy == "GREEDY" && !limited;
  if (!policy && limited) policy = policies::find_policy("SEQUENTIAL");
  if (greedy) policy = nullptr;
  task.request.tasks = task.matrix->ranks();
  task.request.matrix = task.matrix;
  task.request.parameters = task.spec.parameters;
  check_room(task);
  if (!policy) task.usable = policies::leaves_on_one_fabric(task.view, task.usable, task.matrix->ranks());
  mark_free_cores(task.view, task.usable);
  task.view.why_not_live =
      task.spec.policy +
      " requires live data, and a topology file has none: placectl select chooses nodes by live data, "
      "and placectl predict shows what a job would get";

  MapOutcome outcome;
  const Stopwatch watch;
  const bool by_nodes = policy && !task.view.nodes.empty();
  if (natural)
    outcome.leaf_of_rank = first_leaves(task);
  else if (greedy)
    outcome.leaf_of_rank = greedy_on(task, task.usable);
  else if (policy->needs_tree && task.view.torus)
    throw Error(std::string(policy->name) + " maps to trees: use TOFA on a torus");
  else if (policy->takes("objective") && !by_nodes &&
           treematch::objective_parameter(task.request.parameters) == treematch::Objective::hop_bytes)
    map_leaves(task, outcome);
  else
    ask_policy(task, *policy, outcome);
  watch.stop(outcome);

  outcome.cost = cost_on(task, outcome.leaf_of_rank);
  if (by_nodes)
    outcome.natural_cost = baseline_cost(task, "SEQUENTIAL").value_or(outcome.natural_cost);
  else
    outcome.natural_cost = cost_on(task, first_leaves(task));
  if (task.view.torus || task.tells_faults)
    outcome.assessment = assess_mapping(task.view, task.faults, *task.matrix, outcome.leaf_of_rank);
  if (task.view.torus)
    outcome.objective = outcome.assessment->abort_probability >= 1 ? std::numeric_limits<double>::infinity()
                                                                   : objective_on_torus(task, outcome.leaf_of_rank);
  outcome.greedy_cost = greedy     ? outcome.cost
                        : by_nodes ? baseline_cost(task, "GREEDY")
                                   : cost_on(task, greedy_on(task, task.usable));
  if (outcome.places.empty() && !task.view.nodes.empty()) outcome.places = places_of(task.view, outcome.leaf_of_rank);
  return outcome;
}

MapOutcome run_map_in(const spank::Allocation& allocation, const MapTask& task, const spank::MapLength& map_length) {
  MapOutcome outcome;
  const Stopwatch watch;
  outcome.step =
      spank::place_in(allocation, {task.spec, task.without_matrix ? nullptr : task.matrix, false}, map_length);
  const spank::StepPlacement& placement = outcome.step;
  watch.stop(outcome);
  outcome.cost = placement.cost;
  outcome.natural_cost = placement.natural_cost;
  outcome.reasons = placement.reasons;
  outcome.places.resize(static_cast<std::size_t>(task.matrix->ranks()));
  for (std::size_t node = 0; node < placement.ranks_of_node.size(); ++node)
    for (const std::uint32_t rank : placement.ranks_of_node[node])
      outcome.places[rank].node = static_cast<std::int32_t>(node);
  for (std::size_t rank = 0; rank < placement.cores_of_rank.size(); ++rank) {
    RankPlace& place = outcome.places[rank];
    place.cores = placement.cores_of_rank[rank];
    if (placement.whole_cores)
      outcome.leaf_of_rank.push_back(task.view.nodes[place.node].first_leaf + place.cores.at(0));
  }
  outcome.greedy_cost = greedy_cost_of(task, outcome);
  return outcome;
}

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/step_ranks.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <numeric>

#include "common/util/error.hpp"
#include "mapping/slots.hpp"
#include "policies/table.hpp"

namespace placement::spank {

namespace {

// The longest time for a policy, because srun and the nodes wait for its answer. Policies limit their own work; this
// deadline is for an overloaded machine.
constexpr std::chrono::seconds patience{10};

// Returns the ranks of each node, ascending. Throws Error if the policy changed the number of tasks on a node.
std::vector<std::vector<std::uint32_t>> by_node(const Placement& placement, const StepShape& step) {
  std::vector<std::vector<std::uint32_t>> ranks_of_node(step.nodes.size());
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const std::int32_t node = placement.ranks[rank].node;
    if (node < 0 || static_cast<std::size_t>(node) >= ranks_of_node.size())
      throw Error("the policy named a node outside the step");
    ranks_of_node[static_cast<std::size_t>(node)].push_back(static_cast<std::uint32_t>(rank));
  }
  for (std::size_t node = 0; node < ranks_of_node.size(); ++node)
    if (ranks_of_node[node].size() != static_cast<std::size_t>(step.tasks[node]))
      throw Error("the policy put " + std::to_string(ranks_of_node[node].size()) + " ranks on " + step.nodes[node] +
                  ", which has " + std::to_string(step.tasks[node]) + " tasks");
  return ranks_of_node;
}

// Returns the slot of each rank: its place among the ranks of its node, in the order of their first cores.
std::vector<std::int32_t> slots_of(const Placement& placement, std::size_t nodes) {
  std::vector<std::int32_t> slot(placement.ranks.size(), 0);
  for (const std::vector<std::int32_t>& ranks : mapping::ranks_of_nodes(placement, nodes))
    for (std::size_t position = 0; position < ranks.size(); ++position)
      slot[static_cast<std::size_t>(ranks[position])] = static_cast<std::int32_t>(position);
  return slot;
}

// Returns the cores of a rank whose place is of `places`, the view of a step on `nodes`.
std::vector<std::int32_t> cores_of(const RankPlace& rank, const StepView& places, const ClusterView& nodes) {
  std::vector<std::int32_t> cores = rank.cores;
  if (!places.whole_cores)
    for (std::int32_t& core : cores) core /= nodes.nodes[static_cast<std::size_t>(rank.node)].threads_per_core;
  return cores;
}

// Returns the request for runs of `run` successive ranks. Ranks at the end are in no run if a node has no multiple of
// `run` tasks.
Request request_of_runs(const Request& request, std::int32_t run) {
  Request runs = request;
  runs.tasks = 0;
  for (std::int32_t& tasks : runs.node_tasks) runs.tasks += tasks /= run;
  runs.cores_per_task *= run;
  runs.planned_ranks.clear();
  if (!request.matrix) return runs;
  runs.matrix = std::make_shared<const CommMatrix>(matrix_of_runs(*request.matrix, run, runs.tasks));
  return runs;
}

// Returns the policy's placement of runs of `run` successive ranks, each on one node. Ranks that are in no run follow
// in natural order.
Placement place_runs(const PolicySpec& spec, const ClusterView& view, const Request& request, std::int32_t run,
                     const Deadline& deadline) {
  const auto place = policies::check_policy_spec(spec).place;
  if (run == 1) return place(view, request, deadline);
  Request runs = request_of_runs(request, run);
  ClusterView used = view;  // its nodes that get a run
  used.nodes.clear();
  for (std::size_t node = 0; node < view.nodes.size(); ++node)
    if (runs.node_tasks[node] > 0) used.nodes.push_back(view.nodes[node]);
  std::erase(runs.node_tasks, 0);
  runs.min_nodes = runs.max_nodes = static_cast<std::int32_t>(used.nodes.size());
  const Placement coarse = place(used, runs, deadline);

  const std::vector<std::vector<std::int32_t>> runs_of_node = mapping::ranks_of_nodes(coarse, used.nodes.size());
  std::vector<std::vector<std::int32_t>> ranks(view.nodes.size());
  std::int32_t next = runs.tasks * run;
  for (std::size_t node = 0, i = 0; node < ranks.size(); ++node) {
    if (request.node_tasks[node] >= run)
      for (const std::int32_t first : runs_of_node[i++])
        for (std::int32_t rank = first * run; rank < (first + 1) * run; ++rank) ranks[node].push_back(rank);
    while (std::ssize(ranks[node]) < request.node_tasks[node]) ranks[node].push_back(next++);
  }
  const mapping::Slots slots(view, request);
  const auto leaves = slots.leaves_of_ranks(ranks, request.node_tasks);
  if (!leaves) throw Error("runs of " + std::to_string(run) + " ranks do not fit the step's nodes");
  Placement fine = slots.placement(*leaves, slots.leaves(request.node_tasks), spec.policy);
  fine.reasons = coarse.reasons;
  fine.lack = coarse.lack;
  return fine;
}

// Returns the ranks of the step in natural order.
Placement place_natural(const ClusterView& view, const Request& request) {
  const mapping::Slots slots(view, request);
  const std::vector<std::int32_t> leaves = slots.leaves(request.node_tasks);
  return slots.placement(leaves, leaves, "natural order");
}

}  // namespace

CommMatrix matrix_of_runs(const CommMatrix& matrix, std::int32_t run, std::int32_t runs) {
  std::vector<CommEdge> edges;
  for (const CommEdge& edge : matrix.edges())
    if (std::max(edge.a, edge.b) / run < runs) edges.push_back({edge.a / run, edge.b / run, edge.weight});
  return CommMatrix::from_edges(runs, std::move(edges));
}

StepPlacement place_step(const PlacementRequest& placement_request, const StepShape& step, const ClusterView& view,
                         const MapLength& map_length) {
  Request request;
  request.tasks = std::accumulate(step.tasks.begin(), step.tasks.end(), 0);
  if (placement_request.matrix && placement_request.matrix->ranks() != request.tasks)
    throw Error("the matrix is of " + std::to_string(placement_request.matrix->ranks()) + " ranks, the step has " +
                std::to_string(request.tasks) + " tasks");
  const StepView places = view_of_step(view, step);
  request.cores_per_task = places.cores_per_task;
  request.min_nodes = request.max_nodes = static_cast<std::int32_t>(step.nodes.size());
  request.node_tasks = step.tasks;
  request.planned_ranks = step.planned_ranks;
  request.matrix = placement_request.matrix;
  request.parameters = placement_request.spec.parameters;

  const Deadline deadline = Deadline::after(patience);
  const std::int32_t longest_run = std::ranges::max(step.tasks);
  const std::int32_t divisor = std::accumulate(step.tasks.begin(), step.tasks.end(), 0,
                                               [](std::int32_t a, std::int32_t b) { return std::gcd(a, b); });
  StepPlacement result;
  Placement placement;
  double length = 0;
  for (std::int32_t run = 1;; ++run) {
    const bool natural = run > longest_run;
    // Runs of n ranks make the map about n times shorter. Lengths that leave it twice too long are skipped.
    if (!natural && run != divisor && length > 2.0 * run) continue;
    if (!natural && divisor % run != 0 && !std::has_single_bit(static_cast<std::uint32_t>(run))) continue;
    placement = natural ? place_natural(places.view, request)
                        : place_runs(placement_request.spec, places.view, request, run, deadline);
    if (placement.ranks.size() != static_cast<std::size_t>(request.tasks))
      throw Error("the policy placed " + std::to_string(placement.ranks.size()) + " ranks of " +
                  std::to_string(request.tasks));
    result.ranks_of_node = by_node(placement, step);
    result.run = natural ? 0 : run;
    const double now = map_length ? map_length(result.ranks_of_node) : 0;
    if (natural || now <= 1) break;
    if (run == 1) length = now;
  }
  if (places.ordered) result.slot_of_rank = slots_of(placement, step.nodes.size());
  result.whole_cores = places.whole_cores;
  if (places.whole_cores || places.ordered)
    for (const RankPlace& rank : placement.ranks) result.cores_of_rank.push_back(cores_of(rank, places, view));
  result.reasons = std::move(placement.reasons);
  result.lack = placement.lack;
  result.cost = placement.cost;
  result.natural_cost = placement.natural_cost;
  return result;
}

}  // namespace placement::spank

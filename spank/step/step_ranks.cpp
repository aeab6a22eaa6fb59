// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/step_ranks.hpp"

#include <algorithm>
#include <chrono>
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

}  // namespace

StepPlacement place_step(const PlacementRequest& placement_request, const StepShape& step, const ClusterView& view) {
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

  Placement placement =
      policies::check_policy_spec(placement_request.spec).place(places.view, request, Deadline::after(patience));
  if (placement.ranks.size() != static_cast<std::size_t>(request.tasks))
    throw Error("the policy placed " + std::to_string(placement.ranks.size()) + " ranks of " +
                std::to_string(request.tasks));
  StepPlacement result;
  result.ranks_of_node = by_node(placement, step);
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

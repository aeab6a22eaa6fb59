// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "core/error.hpp"
#include "core/switch_tree.hpp"
#include "policies/table.hpp"

namespace placement {

namespace {

// srun waits for the answer, and the nodes with it. The work of a policy is bounded by itself; this
// ends what a machine out of breath would drag out.
constexpr std::chrono::seconds patience{10};

std::int32_t free_cores(const NodeView& node) {
  return static_cast<std::int32_t>(std::count(node.core_free.begin(), node.core_free.end(), true));
}

bool cores_suffice(const ClusterView& view, const StepShape& step, std::int32_t cores_per_task) {
  for (std::size_t node = 0; node < view.nodes.size(); ++node)
    if (static_cast<std::int64_t>(step.tasks[node]) * cores_per_task > free_cores(view.nodes[node]))
      return false;
  return true;
}

// Tasks that share cores (hardware threads, --overcommit): the same nodes in the same tree, each
// with as many places as it has tasks. Only the node of a rank means something then.
ClusterView with_a_place_per_task(const ClusterView& view, const StepShape& step) {
  const TreeTopology& tree = *view.tree;
  // Copies the tree above the nodes; below each node of the step hang its places.
  std::vector<std::int32_t> node_vertex(view.nodes.size());
  std::vector<bool> needed(static_cast<std::size_t>(tree.vertices()), false);
  for (std::size_t node = 0; node < view.nodes.size(); ++node) {
    const NodeView& shape = view.nodes[node];
    std::int32_t vertex = tree.leaf_vertex(shape.first_leaf);
    while (tree.parent(vertex) >= 0 && tree.leaf_count(vertex) < shape.cores()) vertex = tree.parent(vertex);
    node_vertex[node] = vertex;
    for (std::int32_t above = vertex; above >= 0; above = tree.parent(above))
      needed[static_cast<std::size_t>(above)] = true;
  }
  std::vector<std::int32_t> parent, copy_of(static_cast<std::size_t>(tree.vertices()), -1);
  for (std::int32_t vertex = 0; vertex < tree.vertices(); ++vertex) {
    if (!needed[static_cast<std::size_t>(vertex)]) continue;
    copy_of[static_cast<std::size_t>(vertex)] = static_cast<std::int32_t>(parent.size());
    parent.push_back(vertex == 0 ? -1 : copy_of[static_cast<std::size_t>(tree.parent(vertex))]);
  }
  ClusterView shared;
  std::vector<std::int32_t> first_vertex;
  for (std::size_t node = 0; node < view.nodes.size(); ++node) {
    first_vertex.push_back(static_cast<std::int32_t>(parent.size()));
    parent.insert(parent.end(), static_cast<std::size_t>(step.tasks[node]),
                  copy_of[static_cast<std::size_t>(node_vertex[node])]);
  }
  auto grown = std::make_shared<TreeTopology>(TreeTopology::from_parents(parent));
  std::vector<std::int32_t> leaf_of_vertex(parent.size(), -1);
  for (std::int32_t leaf = 0; leaf < grown->leaves(); ++leaf)
    leaf_of_vertex[static_cast<std::size_t>(grown->leaf_vertex(leaf))] = leaf;
  for (std::size_t node = 0; node < view.nodes.size(); ++node) {
    const std::int32_t places = step.tasks[node];
    shared.nodes.push_back({view.nodes[node].name, leaf_of_vertex[static_cast<std::size_t>(first_vertex[node])],
                            1, places, 1, std::vector<bool>(static_cast<std::size_t>(places), true)});
  }
  shared.tree = std::move(grown);
  return shared;
}

// Ranks of each node ascending; checks that the policy kept the counts.
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
      throw Error("the policy put " + std::to_string(ranks_of_node[node].size()) + " ranks on " +
                  step.nodes[node] + ", which has " + std::to_string(step.tasks[node]) + " tasks");
  return ranks_of_node;
}

// On each node, the ranks in the order of their first cores.
std::vector<std::int32_t> slots_of(const Placement& placement,
                                   const std::vector<std::vector<std::uint32_t>>& ranks_of_node) {
  std::vector<std::int32_t> slot(placement.ranks.size(), 0);
  for (std::vector<std::uint32_t> ranks : ranks_of_node) {
    const auto first_core = [&placement](std::uint32_t rank) {
      const auto& cores = placement.ranks[rank].cores;
      return cores.empty() ? 0 : cores.front();
    };
    std::stable_sort(ranks.begin(), ranks.end(), [&first_core](std::uint32_t a, std::uint32_t b) {
      return first_core(a) < first_core(b);
    });
    for (std::size_t position = 0; position < ranks.size(); ++position)
      slot[ranks[position]] = static_cast<std::int32_t>(position);
  }
  return slot;
}

}  // namespace

StepPlacement place_step(const Wish& wish, const StepShape& step, ClusterView view) {
  Request request;
  request.tasks = std::accumulate(step.tasks.begin(), step.tasks.end(), 0);
  if (wish.matrix && wish.matrix->ranks() != request.tasks)
    throw Error("the matrix is of " + std::to_string(wish.matrix->ranks()) + " ranks, the step has " +
                std::to_string(request.tasks) + " tasks");
  request.cores_per_task = step.cores_per_task;
  bool bind = true;
  if (!cores_suffice(view, step, request.cores_per_task)) {
    request.cores_per_task = 1;
    bind = cores_suffice(view, step, 1);
    if (!bind) view = with_a_place_per_task(view, step);
  }
  request.min_nodes = request.max_nodes = static_cast<std::int32_t>(step.nodes.size());
  request.node_tasks = step.tasks;
  request.matrix = wish.matrix;
  request.parameters = wish.spec.parameters;

  const Placement placement =
      check_policy_spec(wish.spec).place(view, request, Deadline::after(patience));
  if (placement.ranks.size() != static_cast<std::size_t>(request.tasks))
    throw Error("the policy placed " + std::to_string(placement.ranks.size()) + " ranks of " +
                std::to_string(request.tasks));
  StepPlacement result;
  result.ranks_of_node = by_node(placement, step);
  if (bind) {
    result.slot_of_rank = slots_of(placement, result.ranks_of_node);
    for (const RankPlace& rank : placement.ranks) result.cores_of_rank.push_back(rank.cores);
  }
  result.cost = placement.cost;
  result.natural_cost = placement.natural_cost;
  return result;
}

}  // namespace placement

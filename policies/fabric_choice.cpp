// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/fabric_choice.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"

namespace placement::policies {

namespace {

// Returns the view with free cores only on the nodes of the fabric.
ClusterView restricted(const ClusterView& view, std::int32_t fabric) {
  ClusterView part = view;
  for (NodeView& node : part.nodes)
    if (node.fabric != fabric) node.core_free.assign(node.core_free.size(), false);
  return part;
}

// Places the request on the nodes of the fabric. The policy gets a view without other nodes, because it compares all
// nodes of its view with each other. Pairs across fabrics are never measured.
Placement place_among_nodes_of(std::int32_t fabric, const Policy& policy, const ClusterView& view,
                               const Request& request, const Deadline& deadline) {
  ClusterView part = view;
  part.nodes.clear();
  Request inside = request;
  inside.required_nodes.clear();
  std::vector<std::int32_t> node_of;  // the number in `view` of each node of `part`
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    if (view.nodes[n].fabric != fabric) continue;
    const auto node = static_cast<std::int32_t>(n);
    if (std::ranges::count(request.required_nodes, node) > 0)
      inside.required_nodes.push_back(static_cast<std::int32_t>(node_of.size()));
    part.nodes.push_back(view.nodes[n]);
    node_of.push_back(node);
  }
  Placement placement = policy.place(part, inside, deadline);
  for (RankPlace& rank : placement.ranks) rank.node = node_of[rank.node];
  return placement;
}

// Returns the fabrics with all required nodes and enough free cores. Fabrics with the most free cores come first.
// Throws Error when there is none.
std::vector<std::int32_t> sufficient_fabrics(const ClusterView& view, const Request& request) {
  std::map<std::int32_t, std::int64_t> free_cores;
  for (const NodeView& node : view.nodes)
    if (node.fabric != no_fabric)
      free_cores[node.fabric] += std::count(node.core_free.begin(), node.core_free.end(), true);
  for (const std::int32_t node : request.required_nodes)
    std::erase_if(free_cores, [&](const auto& entry) { return entry.first != view.nodes.at(node).fabric; });
  if (free_cores.empty()) throw PlacementError(STOCK_NO_ROOM, "the required nodes have no switch in common");
  std::vector<std::int32_t> order;
  for (const auto& [fabric, cores] : free_cores) order.push_back(fabric);
  std::ranges::stable_sort(order, std::greater(), [&](std::int32_t fabric) { return free_cores[fabric]; });
  const std::int64_t required = static_cast<std::int64_t>(request.tasks) * request.cores_per_task;
  if (free_cores[order.front()] < required)
    throw PlacementError(STOCK_NO_ROOM, "the job requires " + std::to_string(required) +
                                            " cores, but the nodes connected by switches have at most " +
                                            std::to_string(free_cores[order.front()]) + " free");
  std::erase_if(order, [&](std::int32_t fabric) { return free_cores[fabric] < required; });
  return order;
}

}  // namespace

bool is_one_fabric(const ClusterView& view) {
  return std::all_of(view.nodes.begin(), view.nodes.end(), [&](const NodeView& node) {
    return node.fabric != no_fabric && node.fabric == view.nodes.front().fabric;
  });
}

std::vector<std::int32_t> leaves_on_one_fabric(const ClusterView& view, std::span<const std::int32_t> usable,
                                               std::int32_t ranks) {
  if (is_one_fabric(view)) return {usable.begin(), usable.end()};
  std::map<std::int32_t, std::vector<std::int32_t>> of_fabric;
  for (const NodeView& node : view.nodes) {
    const auto first = std::lower_bound(usable.begin(), usable.end(), node.first_leaf);
    const auto last = std::lower_bound(first, usable.end(), node.first_leaf + node.cores());
    if (node.fabric != no_fabric) of_fabric[node.fabric].insert(of_fabric[node.fabric].end(), first, last);
  }
  std::size_t most = 0;
  for (auto& [fabric, leaves] : of_fabric) {
    std::sort(leaves.begin(), leaves.end());
    if (leaves.size() >= static_cast<std::size_t>(ranks)) return std::move(leaves);
    most = std::max(most, leaves.size());
  }
  throw PlacementError(STOCK_NO_ROOM, "the job has " + std::to_string(ranks) +
                                          " ranks, but the nodes connected by switches have at most " +
                                          std::to_string(most) + " usable leaves");
}

void require_one_fabric(const ClusterView& view, std::span<const std::int32_t> leaves) {
  if (is_one_fabric(view)) return;
  const std::set<std::int32_t> used(leaves.begin(), leaves.end());
  const NodeView* first = nullptr;
  for (const NodeView& node : view.nodes) {
    const auto leaf = used.lower_bound(node.first_leaf);
    if (leaf == used.end() || *leaf >= node.first_leaf + node.cores()) continue;
    if (node.fabric == no_fabric)
      throw PlacementError(STOCK_NO_ROOM, "node " + node.name + " is not on a switch, so Slurm does not allocate it");
    if (!first) first = &node;
    if (node.fabric != first->fabric)
      throw PlacementError(STOCK_NO_ROOM, "no switch connects the nodes " + first->name + " and " + node.name +
                                              ", so Slurm does not allocate both to one job");
  }
}

Placement place_on_one_fabric(const Policy& policy, const ClusterView& view, const Request& request,
                              const Deadline& deadline) {
  if (is_one_fabric(view) || !request.node_tasks.empty()) return policy.place(view, request, deadline);
  std::optional<Placement> best;
  std::exception_ptr refusal;
  for (const std::int32_t fabric : sufficient_fabrics(view, request)) {
    if (best && (!request.matrix || deadline.expired())) break;
    try {
      Placement placement = policy.needs_live ? place_among_nodes_of(fabric, policy, view, request, deadline)
                                              : policy.place(restricted(view, fabric), request, deadline);
      if (!best || placement.cost < best->cost) best = std::move(placement);
    } catch (const Error&) {
      if (!refusal) refusal = std::current_exception();
    }
  }
  if (!best) std::rethrow_exception(refusal);
  return *std::move(best);
}

}  // namespace placement::policies

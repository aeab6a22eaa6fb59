// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/slots.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace placement {

namespace {

void add_slot(std::vector<Slot>& slots, std::int32_t node, const NodeView& shape,
              std::vector<std::int32_t>& cores) {
  std::sort(cores.begin(), cores.end());
  slots.push_back({node, shape.first_leaf + cores.front(), cores});
  cores.clear();
}

std::vector<Slot> slots_of_node(std::int32_t node, const NodeView& shape, std::size_t width) {
  std::vector<Slot> slots;
  std::vector<std::int32_t> left_over;
  for (std::int32_t socket = 0; socket < shape.sockets; ++socket) {
    std::vector<std::int32_t> cores;
    for (std::int32_t k = 0; k < shape.cores_per_socket; ++k) {
      const std::int32_t core = socket * shape.cores_per_socket + k;
      if (!shape.core_free[core]) continue;
      cores.push_back(core);
      if (cores.size() == width) add_slot(slots, node, shape, cores);
    }
    left_over.insert(left_over.end(), cores.begin(), cores.end());
  }
  std::vector<std::int32_t> cores;
  for (const std::int32_t core : left_over) {
    cores.push_back(core);
    if (cores.size() == width) add_slot(slots, node, shape, cores);
  }
  std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.leaf < b.leaf; });
  return slots;
}

}  // namespace

Slots::Slots(const ClusterView& view, const Request& request)
    : view_(view), request_(request), node_of_leaf_(view.tree->leaves(), -1), slot_of_leaf_(view.tree->leaves(), -1) {
  const auto width = static_cast<std::size_t>(std::max(request.cores_per_task, 1));
  const auto most = static_cast<std::size_t>(std::max(request.max_tasks_per_node, 0));
  nodes_.reserve(view.nodes.size());
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    nodes_.push_back(slots_of_node(static_cast<std::int32_t>(n), view.nodes[n], width));
    if (nodes_[n].size() > most) nodes_[n].resize(most);
    capacity_.push_back(static_cast<std::int32_t>(nodes_[n].size()));
    for (std::size_t k = 0; k < nodes_[n].size(); ++k) {
      node_of_leaf_[nodes_[n][k].leaf] = static_cast<std::int32_t>(n);
      slot_of_leaf_[nodes_[n][k].leaf] = static_cast<std::int32_t>(k);
    }
  }
}

std::vector<std::int32_t> Slots::leaves(const NodeCounts& counts) const {
  std::vector<std::int32_t> leaves;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] < 0 || counts[n] > capacity_[n])
      throw Error("node " + view_.nodes[n].name + " has room for " + std::to_string(capacity_[n]) +
                  " tasks, and " + std::to_string(counts[n]) + " are laid out on it");
    for (std::int32_t k = 0; k < counts[n]; ++k) leaves.push_back(nodes_[n][k].leaf);
  }
  return leaves;
}

NodeCounts Slots::counts(std::span<const std::int32_t> leaf_of_rank) const {
  NodeCounts counts(nodes_.size(), 0);
  for (const std::int32_t leaf : leaf_of_rank) ++counts[at(leaf).node];
  return counts;
}

Placement Slots::placement(std::span<const std::int32_t> leaf_of_rank, std::span<const std::int32_t> natural,
                           const std::string& method) const {
  Placement placement;
  placement.ranks.reserve(leaf_of_rank.size());
  for (const std::int32_t leaf : leaf_of_rank) placement.ranks.push_back({at(leaf).node, at(leaf).cores});
  if (request_.matrix) {
    placement.cost = view_.tree->hop_bytes(*request_.matrix, leaf_of_rank);
    placement.natural_cost = view_.tree->hop_bytes(*request_.matrix, natural);
  }
  const NodeCounts used = counts(leaf_of_rank);
  const auto idle = std::count(used.begin(), used.end(), 0);
  placement.reasons.push_back(std::to_string(leaf_of_rank.size()) + " tasks on " +
                              std::to_string(static_cast<std::int64_t>(used.size()) - idle) + " nodes by " + method);
  return placement;
}

}  // namespace placement

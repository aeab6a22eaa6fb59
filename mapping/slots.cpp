// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/slots.hpp"

#include <algorithm>

#include "common/util/placement_error.hpp"
#include "common/util/sequence.hpp"

namespace placement::mapping {

namespace {

// Sorts the slots by their first cores. `cores` has the cores of one slot after the other, `width` each.
void sort_slots(std::span<std::int32_t> cores, std::int32_t width) {
  std::vector<std::int32_t> sorted;
  for (const std::int32_t slot :
       ordered_numbers(cores.size() / width, [&](std::int32_t slot) { return cores[slot * width]; }))
    sorted.insert(sorted.end(), &cores[slot * width], &cores[slot * width] + width);
  std::ranges::copy(sorted, cores.begin());
}

}  // namespace

Slots::Slots(const ClusterView& view, const Request& request)
    : view_(view),
      request_(request),
      width_(std::max(request.cores_per_task, 1)) {
  std::int32_t end = 0;
  begin_ = view.nodes.empty() ? 0 : view.nodes.front().first_leaf;
  for (const NodeView& node : view.nodes) {
    begin_ = std::min(begin_, node.first_leaf);
    end = std::max(end, node.first_leaf + node.cores());
  }
  const auto leaves = static_cast<std::size_t>(std::max(end - begin_, 0));
  node_of_leaf_.assign(leaves, -1);
  slot_of_leaf_.assign(leaves, -1);
  cores_.reserve(leaves);
  first_core_.reserve(view.nodes.size() + 1);
  capacity_.reserve(view.nodes.size());
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    first_core_.push_back(cores_.size());
    capacity_.push_back(std::min(add_slots(n), std::max(request.max_tasks_per_node, 0)));
  }
  first_core_.push_back(cores_.size());
}

std::int32_t Slots::add_slots(std::size_t n) {
  const NodeView& node = view_.nodes[n];
  const std::size_t first = cores_.size();
  cores_.resize(first + node.cores());
  std::size_t end = first;
  std::vector<std::int32_t> left_over;
  for (std::int32_t socket = 0; socket < node.sockets; ++socket) {
    const std::size_t begin = end;
    for (std::int32_t k = 0; k < node.cores_per_socket; ++k) {
      cores_[end] = socket * node.cores_per_socket + k;
      end += node.core_free[cores_[end]];
    }
    const std::size_t whole = end - (end - begin) % width_;
    left_over.insert(left_over.end(), cores_.begin() + whole, cores_.begin() + end);
    end = whole;
  }
  left_over.resize(left_over.size() - left_over.size() % width_);
  cores_.resize(end);
  cores_.insert(cores_.end(), left_over.begin(), left_over.end());
  if (!left_over.empty()) sort_slots(std::span(cores_).subspan(first), width_);
  const auto slots = static_cast<std::int32_t>(cores_.size() - first) / width_;
  for (std::int32_t k = 0; k < slots; ++k) {
    const std::int32_t leaf = node.first_leaf + cores_[first + k * width_] - begin_;
    node_of_leaf_[leaf] = static_cast<std::int32_t>(n);
    slot_of_leaf_[leaf] = k;
  }
  return slots;
}

std::vector<std::int32_t> Slots::leaves(const NodeCounts& counts) const {
  std::vector<std::int32_t> leaves;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] < 0 || counts[n] > capacity_[n])
      throw PlacementError(STOCK_NO_ROOM, "node " + view_.nodes[n].name + " has room for " +
                                              std::to_string(capacity_[n]) + " tasks, but gets " +
                                              std::to_string(counts[n]));
    for (std::int32_t k = 0; k < counts[n]; ++k)
      leaves.push_back(view_.nodes[n].first_leaf + cores_[first_core_[n] + k * width_]);
  }
  return leaves;
}

std::vector<std::int32_t> Slots::all_leaves() const {
  std::vector<std::int32_t> leaves;
  for (std::size_t leaf = 0; leaf < slot_of_leaf_.size(); ++leaf)
    if (slot_of_leaf_[leaf] >= 0) leaves.push_back(begin_ + static_cast<std::int32_t>(leaf));
  return leaves;
}

std::vector<std::int32_t> Slots::leaves_of(std::int32_t node) const {
  std::vector<std::int32_t> leaves;
  for (std::size_t k = first_core_[node]; k < first_core_[node + 1]; k += width_)
    leaves.push_back(view_.nodes[node].first_leaf + cores_[k]);
  return leaves;
}

std::vector<std::int32_t> Slots::leaves_on(std::span<const std::int32_t> node_of_rank) const {
  NodeCounts taken(capacity_.size(), 0);
  std::vector<std::int32_t> leaves;
  leaves.reserve(node_of_rank.size());
  for (const std::int32_t node : node_of_rank)
    leaves.push_back(view_.nodes[node].first_leaf + cores_of(node)[taken[node]++ * width_]);
  return leaves;
}

std::optional<std::vector<std::int32_t>> Slots::leaves_of_ranks(const std::vector<std::vector<std::int32_t>>& ranks,
                                                                const NodeCounts& counts) const {
  if (ranks.size() != view_.nodes.size() || counts.size() != ranks.size()) return std::nullopt;
  std::vector<std::int32_t> leaves(request_.tasks, -1);
  for (std::size_t n = 0; n < ranks.size(); ++n) {
    if (std::ssize(ranks[n]) != counts[n] || counts[n] > capacity_[n]) return std::nullopt;
    for (std::size_t k = 0; k < ranks[n].size(); ++k) {
      const std::int32_t rank = ranks[n][k];
      if (rank < 0 || rank >= request_.tasks || leaves[rank] >= 0) return std::nullopt;
      leaves[rank] = view_.nodes[n].first_leaf + cores_[first_core_[n] + k * width_];
    }
  }
  if (std::ranges::find(leaves, -1) != leaves.end()) return std::nullopt;
  return leaves;
}

NodeCounts Slots::counts(std::span<const std::int32_t> leaf_of_rank) const {
  NodeCounts counts(capacity_.size(), 0);
  for (const std::int32_t leaf : leaf_of_rank) ++counts[node_of(leaf)];
  return counts;
}

RankPlace Slots::at(std::int32_t leaf) const {
  const std::int32_t node = node_of(leaf);
  const auto first = cores_of(node) + slot_of_leaf_[leaf - begin_] * width_;
  return {node, {first, first + width_}};
}

Placement Slots::placement(std::span<const std::int32_t> leaf_of_rank, std::span<const std::int32_t> natural,
                           const std::string& method) const {
  if (!request_.matrix) return placement(leaf_of_rank, 0, 0, method);
  return placement(leaf_of_rank, view_.tree->hop_bytes(*request_.matrix, leaf_of_rank),
                   view_.tree->hop_bytes(*request_.matrix, natural), method);
}

Placement Slots::placement(std::span<const std::int32_t> leaf_of_rank, Cost cost, Cost natural_cost,
                           const std::string& method) const {
  Placement placement;
  placement.ranks.reserve(leaf_of_rank.size());
  for (const std::int32_t leaf : leaf_of_rank) placement.ranks.push_back(at(leaf));
  placement.cost = cost;
  placement.natural_cost = natural_cost;
  const NodeCounts used = counts(leaf_of_rank);
  const auto idle = std::count(used.begin(), used.end(), 0);
  placement.reasons.push_back(std::to_string(leaf_of_rank.size()) + " tasks on " +
                              std::to_string(std::ssize(used) - idle) + " nodes by " + method);
  return placement;
}

std::vector<std::int32_t> first_leaves(const ClusterView& view, const Placement& placement) {
  std::vector<std::int32_t> leaves;
  leaves.reserve(placement.ranks.size());
  for (const RankPlace& rank : placement.ranks) leaves.push_back(view.nodes[rank.node].first_leaf + rank.cores.at(0));
  return leaves;
}

std::vector<std::vector<std::int32_t>> ranks_of_nodes(const Placement& placement, std::size_t nodes) {
  std::vector<std::vector<std::int32_t>> ranks(nodes);
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    ranks.at(static_cast<std::size_t>(placement.ranks[rank].node)).push_back(static_cast<std::int32_t>(rank));
  for (std::vector<std::int32_t>& of_node : ranks)
    std::ranges::stable_sort(of_node, {}, [&](std::int32_t rank) { return placement.ranks[rank].cores.at(0); });
  return ranks;
}

}  // namespace placement::mapping

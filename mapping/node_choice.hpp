// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"

namespace placement {

// What a choice of nodes must keep to: capacities in tasks, and the limits of the request.
class NodeLimits {
 public:
  // capacity[i]: the slots of view node i. Throws Error when no choice can serve the request.
  NodeLimits(const ClusterView& view, const Request& request, NodeCounts capacity);

  const NodeCounts& capacity() const { return capacity_; }
  std::int32_t tasks() const { return tasks_; }
  std::int32_t least_nodes() const { return least_nodes_; }  // no choice has fewer
  std::int32_t most_nodes() const { return most_nodes_; }
  bool spreads() const { return spreads_; }  // more nodes than would have room, or even shares
  bool even() const { return even_; }        // the used nodes take numbers of tasks that differ by at most 1
  bool required(std::int32_t node) const { return required_[node]; }

  bool allow(const NodeCounts& counts) const;

  // The request's tasks on these nodes: evenly, or each filled before the next. The required nodes
  // are among them. Nothing when they have no room.
  std::optional<NodeCounts> spread(const std::vector<std::int32_t>& nodes) const;

 private:
  NodeCounts capacity_;
  std::vector<bool> required_;
  std::int32_t tasks_;
  std::int32_t least_nodes_ = 1;
  std::int32_t most_nodes_;
  bool even_;  // tasks are spread evenly over the nodes that are used
  bool spreads_ = false;
};

// Nodes in the caller's order, as few as the limits allow; what stock Slurm roughly does.
std::optional<NodeCounts> sequential_counts(const NodeLimits& limits);

// Nodes of the smallest subtree that can serve the request, `levels_up` levels further up; inside
// it the fullest branches first, so that few are opened [TM §6].
std::optional<NodeCounts> compact_counts(const ClusterView& view, const NodeLimits& limits,
                                         std::int32_t levels_up);

// The vertex of the tree that stands for a node: the lowest that has all its cores.
std::int32_t node_vertex(const ClusterView& view, std::int32_t node);

}  // namespace placement

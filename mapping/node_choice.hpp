// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"

namespace placement::mapping {

// The limits that a choice of nodes must keep: the capacity of each node in tasks, and the limits of the request.
class NodeLimits {
 public:
  // capacity[i] is the number of slots of view node i. Throws Error when no choice of nodes can serve the request.
  NodeLimits(const ClusterView& view, const Request& request, NodeCounts capacity);

  // Returns the most tasks on each node. It is 0 for a node that cannot hold the fixed number of tasks per node, if the
  // request has one.
  const NodeCounts& capacity() const { return capacity_; }
  std::int32_t tasks() const { return tasks_; }              // tasks of the request
  std::int32_t least_nodes() const { return least_nodes_; }  // each choice has at least this number of nodes
  std::int32_t most_nodes() const { return most_nodes_; }    // each choice has at most this number of nodes
  bool spreads() const { return spreads_; }  // the request asks for more nodes than the tasks need, or for even shares
  bool even() const { return even_; }        // the used nodes take numbers of tasks that differ by at most 1
  bool required(std::int32_t node) const { return required_[node]; }  // each choice has this view node

  // Whether tasks may be distributed in this way. The sum of the counts is not checked.
  bool allow(const NodeCounts& counts) const;

  // Distributes the request's tasks over `nodes`, which include the required nodes. The shares are even if even() is
  // true. Otherwise each node is filled before the next, but one task is kept for each node that follows. Returns the
  // tasks of each view node; nothing when the nodes have no room for the tasks or the limits do not allow it.
  std::optional<NodeCounts> spread(const std::vector<std::int32_t>& nodes) const;

  // Adds nodes of `order` to `picked`, which has the required nodes, until they can serve the request. Even shares may
  // need more nodes than have room for the tasks. Nodes of `order` that are required, or have no room, are passed over.
  // Returns the tasks of each view node; nothing when the nodes cannot serve the request.
  std::optional<NodeCounts> first_that_fit(const std::vector<std::int32_t>& order,
                                           std::vector<std::int32_t>& picked) const;

 private:
  bool have_room(const std::vector<std::int32_t>& nodes, std::int64_t room, std::int32_t smallest) const;

  NodeCounts capacity_;
  std::vector<bool> required_;
  std::int32_t tasks_;
  std::int32_t least_nodes_ = 1;
  std::int32_t most_nodes_;
  bool even_;  // tasks are spread evenly over the nodes that are used
  bool spreads_ = false;
};

// Chooses nodes in the order of the view, as few as the limits allow; this is roughly what stock Slurm does. If the
// first nodes are too many, the largest nodes are chosen. Returns the tasks of each node; nothing when this choice
// violates the limits.
std::optional<NodeCounts> sequential_counts(const NodeLimits& limits);

// Chooses nodes of the smallest subtree that can serve the request, or of its ancestor `levels_up` levels further up
// [TM §6]. Inside it, branches with the most room come first, so that few switches are used. Returns the tasks of each
// node; nothing when no subtree can serve the request.
std::optional<NodeCounts> compact_counts(const ClusterView& view, const NodeLimits& limits, std::int32_t levels_up);

// Returns the nodes of each subtree of the least height that can serve the request, as lists of view nodes. Subtrees
// with the least room come first. There are at most `most` lists.
std::vector<std::vector<std::int32_t>> sufficient_subtrees(const ClusterView& view, const NodeLimits& limits,
                                                           std::size_t most);

// Returns for each node of the view the vertex of the tree that stands for it: the lowest vertex above all its cores.
// If other nodes are higher, a vertex without siblings is replaced by its parent. So a node with one socket has the
// height of nodes with several sockets.
std::vector<std::int32_t> node_vertices(const ClusterView& view);

// Returns the lowest vertex of the tree that has all nodes of the placement below it, or is the only one.
//   vertex_of_node  what node_vertices() returns
std::int32_t top_of(const TreeTopology& tree, const std::vector<std::int32_t>& vertex_of_node,
                    const Placement& placement);

// Returns the leaf switch of each node: the vertex just above that of the node, or the root.
std::vector<std::int32_t> leaf_switches(const ClusterView& view);

}  // namespace placement::mapping

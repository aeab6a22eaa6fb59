// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"

namespace placement::mapping {

// Returns the parameter `seed`, or the seed of the request when it is not given. Throws as number_parameter() does.
std::uint64_t seed_parameter(const Request& request);

// Throws Error when the request contradicts itself: no tasks, or a matrix or task counts that do not fit the tasks.
void check_request(const ClusterView& view, const Request& request);

// The limits on a choice of nodes: the capacity of each node in tasks, and the limits of the request.
class NodeLimits {
 public:
  // capacity[i] is the number of slots of view node i. Throws Error when no choice of nodes can serve the request.
  NodeLimits(const ClusterView& view, const Request& request, NodeCounts capacity);

  // Returns the largest number of tasks on each node. If the request fixes the tasks per node, it is 0 for a node
  // without room for that number.
  const NodeCounts& capacity() const { return capacity_; }
  std::int32_t tasks() const { return tasks_; }              // tasks of the request
  std::int32_t least_nodes() const { return least_nodes_; }  // least number of nodes of a choice
  std::int32_t most_nodes() const { return most_nodes_; }    // largest number of nodes of a choice
  bool spreads() const { return spreads_; }                  // requires more nodes than the tasks need, or even shares
  bool even() const { return even_; }  // the used nodes take numbers of tasks that differ by at most 1
  bool required(std::int32_t node) const { return required_[node]; }  // each choice contains this view node

  // Whether the limits allow these numbers of tasks per node. Does not check their sum.
  bool allow(const NodeCounts& counts) const;

  // Distributes the request's tasks over `nodes`, which include the required nodes. The shares are even if even() is
  // true. Otherwise each node is filled before the next, but one task is kept for each later node. Returns the tasks of
  // each view node; nothing if the nodes lack room or the limits do not allow it.
  std::optional<NodeCounts> spread(const std::vector<std::int32_t>& nodes) const;

  // Adds nodes of `order` to `picked`, which has the required nodes, until they can serve the request. Even shares may
  // need more nodes than the tasks alone. Skips nodes of `order` that are required or have no room. Returns the tasks
  // of each view node; nothing when the nodes cannot serve the request.
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

// Chooses nodes in the order of the view, as few as the limits allow, roughly as stock Slurm does. If this takes more
// nodes than the limits allow, chooses the largest nodes. Returns the tasks of each node; nothing if the choice
// violates the limits.
std::optional<NodeCounts> sequential_counts(const NodeLimits& limits);

// Returns the tasks of each node as the request gives them, or else by sequential_counts(). `capacity` has the number
// of tasks for which each node has room. Throws Error when no set of nodes meets the limits.
NodeCounts counts_in_order(const ClusterView& view, const Request& request, NodeCounts capacity);

// Chooses nodes of the smallest subtree that can serve the request, or of its ancestor `levels_up` levels higher [TM
// §6]. Takes branches with the most room first, so that few switches are used. Returns the tasks of each node; nothing
// when no subtree can serve the request.
std::optional<NodeCounts> compact_counts(const ClusterView& view, const NodeLimits& limits, std::int32_t levels_up);

// Returns up to `most` lists of view nodes: the nodes of each subtree of the least height that can serve the request.
// Subtrees with the least room come first.
std::vector<std::vector<std::int32_t>> sufficient_subtrees(const ClusterView& view, const NodeLimits& limits,
                                                           std::size_t most);

// Returns the vertex of the tree that stands for each view node: the lowest vertex above all its cores. If other nodes
// are higher, a vertex without siblings is replaced by its parent. So a node with one socket has the height of nodes
// with several sockets.
std::vector<std::int32_t> node_vertices(const ClusterView& view);

// Returns the lowest vertex of the tree with all nodes of the placement below it; for one node, that node's vertex.
//   vertex_of_node  the result of node_vertices()
std::int32_t top_of(const TreeTopology& tree, const std::vector<std::int32_t>& vertex_of_node,
                    const Placement& placement);

// Returns the leaf switch of each node: the parent of the node's vertex, or the root.
std::vector<std::int32_t> leaf_switches(const ClusterView& view);

}  // namespace placement::mapping

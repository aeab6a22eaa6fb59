// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"

namespace placement::mapping {

// The number of tasks on each view node; one entry per node, 0 for a node that is not used.
using NodeCounts = std::vector<std::int32_t>;

// The slots that a view offers to a request. A slot takes one task and has cores_per_task free cores of one node. Its
// first core stands for it in the tree, so the mapper sees one usable leaf per slot. The slots of a node are in the
// order of their first cores. Each socket is divided into slots separately; the remaining cores of several sockets form
// further slots.
class Slots {
 public:
  // `view` and `request` must outlive the object.
  Slots(const ClusterView& view, const Request& request);

  // Returns the number of slots of each node, at most request.max_tasks_per_node.
  const NodeCounts& capacity() const { return capacity_; }

  // Returns the leaves of the first counts[n] slots of each node n, node by node: the natural order of ranks. Throws
  // Error when counts[n] is negative or above the capacity of the node.
  std::vector<std::int32_t> leaves(const NodeCounts& counts) const;

  // Returns the leaves of all slots, ascending, including slots beyond the capacity of their node.
  std::vector<std::int32_t> all_leaves() const;

  // Returns the leaves of all slots of a node, ascending, including slots beyond its capacity.
  std::vector<std::int32_t> leaves_of(std::int32_t node) const;

  // Returns the node whose slot has this leaf.
  std::int32_t node_of(std::int32_t leaf) const { return node_of_leaf_[leaf - begin_]; }

  // Returns a leaf for each rank. Rank r gets the next slot of view node node_of_rank[r]; a node must have at least as
  // many slots as ranks.
  std::vector<std::int32_t> leaves_on(std::span<const std::int32_t> node_of_rank) const;

  // Returns a leaf for each rank: the ranks of each node get its first slots, in the order of the list. Returns nothing
  // unless each ranks[n] has counts[n] ranks, at most the capacity of node n, and each rank of the request occurs once.
  std::optional<std::vector<std::int32_t>> leaves_of_ranks(const std::vector<std::vector<std::int32_t>>& ranks,
                                                           const NodeCounts& counts) const;

  // Returns the number of ranks on each node. Each leaf must be that of a slot.
  NodeCounts counts(std::span<const std::int32_t> leaf_of_rank) const;

  // Returns the answer of a policy. Its costs are hop-bytes of the request's matrix, 0 without a matrix.
  //   leaf_of_rank  the placement: the leaf of a slot for each rank
  //   natural       the natural order, for natural_cost: the leaf of a slot for each rank
  //   method        the method that found the placement, for its reasons
  Placement placement(std::span<const std::int32_t> leaf_of_rank, std::span<const std::int32_t> natural,
                      const std::string& method) const;

  // As above, with the given costs in hop-bytes.
  Placement placement(std::span<const std::int32_t> leaf_of_rank, Cost cost, Cost natural_cost,
                      const std::string& method) const;

 private:
  // Makes the slots of view node n, and returns their number.
  std::int32_t add_slots(std::size_t n);
  RankPlace at(std::int32_t leaf) const;
  const std::int32_t* cores_of(std::int32_t node) const { return cores_.data() + first_core_[node]; }

  const ClusterView& view_;
  const Request& request_;
  std::int32_t width_;                   // cores of a slot
  std::vector<std::int32_t> cores_;      // the cores of all slots, node by node and slot by slot
  std::vector<std::size_t> first_core_;  // index in cores_ of each node's first core, and the end
  NodeCounts capacity_;
  // node_of_leaf_ and slot_of_leaf_ have one entry for each leaf from the first leaf of any node (begin_) to the last.
  // The nodes of a step are a small part of the tree, so the lists do not cover the tree. A leaf without a slot has -1.
  std::int32_t begin_ = 0;
  std::vector<std::int32_t> node_of_leaf_;
  std::vector<std::int32_t> slot_of_leaf_;  // number of the slot within its node
};

// Returns the leaf of the first core of each rank. The nodes of the placement are those of the view.
std::vector<std::int32_t> first_leaves(const ClusterView& view, const Placement& placement);

// Returns the ranks of each of `nodes` nodes in the order of their first cores, as Request::planned_ranks has them. The
// nodes of the placement have numbers below `nodes`.
std::vector<std::vector<std::int32_t>> ranks_of_nodes(const Placement& placement, std::size_t nodes);

}  // namespace placement::mapping

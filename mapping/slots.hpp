// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"

namespace placement {

// Tasks of each view node; one entry per node, zero where a node is not used.
using NodeCounts = std::vector<std::int32_t>;

// The slots that a view offers to a request: places for one task each, cores_per_task free cores of
// one node. A slot stands in the tree at its first core, so that a mapper sees one usable leaf for
// it. Within a node slots are in the order of their first cores; sockets are cut up one by one, so
// that a slot spans two only where cores are left over.
class Slots {
 public:
  Slots(const ClusterView& view, const Request& request);

  // Slots of each node, at most request.max_tasks_per_node.
  const NodeCounts& capacity() const { return capacity_; }

  // The leaves of the first counts[n] slots of each node n, node by node: the natural order of
  // ranks. Throws Error when a node has fewer slots.
  std::vector<std::int32_t> leaves(const NodeCounts& counts) const;

  // The leaves of all slots, ascending, also of those beyond the capacity of their node.
  std::vector<std::int32_t> all_leaves() const;

  // A leaf for each rank on the node that is given for it, in the order of ranks. No node may have
  // more ranks than slots.
  std::vector<std::int32_t> leaves_on(std::span<const std::int32_t> node_of_rank) const;

  NodeCounts counts(std::span<const std::int32_t> leaf_of_rank) const;

  // The answer of a policy; each leaf is that of a slot. Costs are hop-bytes of the request's
  // matrix, natural_cost that of `natural`.
  Placement placement(std::span<const std::int32_t> leaf_of_rank, std::span<const std::int32_t> natural,
                      const std::string& method) const;

  // The same where the costs are known.
  Placement placement(std::span<const std::int32_t> leaf_of_rank, Cost cost, Cost natural_cost,
                      const std::string& method) const;

 private:
  RankPlace at(std::int32_t leaf) const;
  const std::int32_t* cores_of(std::int32_t node) const { return cores_.data() + first_core_[node]; }

  const ClusterView& view_;
  const Request& request_;
  std::int32_t width_;                            // cores of a slot
  std::vector<std::int32_t> cores_;       // those of the slots of each node, slot by slot
  std::vector<std::size_t> first_core_;   // of each node
  NodeCounts capacity_;
  std::int32_t begin_ = 0;                  // the first leaf of any node: a step's nodes are a small part of the tree
  std::vector<std::int32_t> node_of_leaf_;  // one per leaf from there to the last one of any node, -1 for no slot
  std::vector<std::int32_t> slot_of_leaf_;
};

}  // namespace placement

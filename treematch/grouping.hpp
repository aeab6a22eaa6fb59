// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/pairing.hpp"

namespace placement {

// From the leaves up: the vertices are put into groups as large as the lowest arity, the traffic
// between groups is summed, the groups are grouped by the next arity, and so on [JA §2]. A group of
// more than two comes about by pairs of pairs, an odd one by one more vertex each. `arities` from
// the root to the leaves, each at least 1. Returns the vertices in such an order that each group,
// at each level, is one run; missing ones (when their number is not the product of the arities)
// are left out. Equal choices fall to the lower numbers.
std::vector<std::int32_t> grouped_order(const Graph& graph, std::span<const std::int32_t> arities,
                                        Pairing pairing, const WorkBudget& watch = WorkBudget());

// The same on a tree with as many slots as vertices, whose subtrees may be unequal: grouped by the
// arities of its fullest branch, then laid on the slots from left to right. Slot of each vertex.
std::vector<std::int32_t> grouped_mapping(const Graph& graph, const LeafTree& tree, Pairing pairing,
                                          const WorkBudget& watch = WorkBudget());

}  // namespace placement

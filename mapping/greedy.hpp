// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// The baseline that a mapping must not lose against: pairs by falling traffic, each new rank as
// near to its partner as a slot is free, in the tightest of the subtrees. Slot of each rank.
std::vector<std::int32_t> greedy_mapping(const Graph& graph, const LeafTree& tree,
                                         const WorkBudget& watch = WorkBudget());

}  // namespace placement

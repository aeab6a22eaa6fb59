// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Maps the ranks greedily, pair by pair in the order of falling traffic. Each new rank gets the free slot nearest to
// its partner; ties go to the subtrees with the fewest free slots. The cost is an upper bound for all other searches.
// Returns the slot of each rank. Throws OutOfTime.
std::vector<std::int32_t> greedy_mapping(const Graph& graph, const LeafTree& tree,
                                         const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

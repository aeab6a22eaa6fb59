// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Maps the ranks greedily, as an upper bound of the cost for all other searches. Pairs are taken in the order of
// decreasing traffic. Each new rank gets a free slot as near to its partner as possible; ties go to the subtrees with
// the fewest free slots. Returns the slot of each rank. Throws OutOfTime.
std::vector<std::int32_t> greedy_mapping(const Graph& graph, const LeafTree& tree,
                                         const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

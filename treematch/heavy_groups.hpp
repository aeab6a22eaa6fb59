// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Ranks that a path of heavy pairs joins: pairs with at least three quarters of the traffic of the heaviest
// pair. Groups are ascending, ranks that no heavy pair has are left out.
std::vector<std::vector<std::int32_t>> heavy_groups(const CommMatrix& matrix);

// Leaves on which each group has a subtree to itself as far as one is free: one group after the other takes the tightest
// subtree near the groups with which it has traffic, the ranks without a group follow one by one.
//   leaves  that may be taken, ascending, at least one per rank
// Returns one leaf per rank, ascending; none where the groups leave no choice or are too many for a quick look.
std::vector<std::int32_t> leaves_for_groups(const CommMatrix& matrix, const std::vector<std::vector<std::int32_t>>& groups,
                                            const TreeTopology& tree, std::span<const std::int32_t> leaves, const WorkBudget& watch);

}  // namespace placement

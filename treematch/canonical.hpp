// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Of all mappings that differ only by exchanging equal branches, which costs nothing, takes the one
// whose ranks ascend from left to right: people can read it, and it does not depend on how it was
// found. leaf_of_rank has one leaf per rank, all different. At least one rank.
// Throws OutOfTime with the mapping as it was.
void order_equal_branches(const TreeTopology& tree, std::vector<std::int32_t>& leaf_of_rank,
                          const WorkBudget& watch = WorkBudget());

}  // namespace placement

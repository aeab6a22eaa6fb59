// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Throws Error unless `usable` is ascending, without duplicates, inside the tree, and holds at
// least `ranks` leaves.
void check_usable(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks);

// Throws Error unless each rank has a usable leaf of its own. `usable` as above.
void check_mapping(std::span<const std::int32_t> usable, std::int32_t ranks,
                   std::span<const std::int32_t> leaf_of_rank);

// The exact hop-bytes of a mapping [TM §1], in O(pairs) on a coded tree.
Cost mapping_cost(const CommMatrix& matrix, const LeafTree& tree, std::span<const std::int32_t> slot,
                  const WorkBudget& watch = WorkBudget());

}  // namespace placement

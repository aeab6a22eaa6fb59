// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Improves a mapping by local search on the hop-bytes. Each rank in turn tries the slots near its partners: it moves to
// a free slot, or exchanges slots with the rank there. The step with the largest gain is made, if any gains. The ranks
// that moved and their partners then get another turn. Ends when no step gains, or when work or time is used up. Throws
// nothing.
//   slot  in and out: one slot per rank, all different; never costs more than before
//   work  approximate number of arcs to visit
void swap_search(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot, std::int64_t work,
                 const WorkBudget& watch);
// Improves a mapping to leaves of a topology tree by the local search of a LeafTree. A rank may move to each of
// `leaves`, which are in ascending order.
void swap_search(const Graph& graph, const TreeTopology& tree, std::span<const std::int32_t> leaves,
                 std::vector<std::int32_t>& leaf_of_rank, std::int64_t work, const WorkBudget& watch);

}  // namespace placement::mapping

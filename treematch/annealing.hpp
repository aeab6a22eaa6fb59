// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Simulated annealing on the hop-bytes of a mapping: random ranks move to free slots, or change places
// with other ranks, near one of their partners. A step that costs more is taken with a probability that
// falls with its cost and with time.
//   slot  one slot per rank, all different; holds the result, which may cost more than before
//   seed  of the random choices; the result depends on nothing else
//   work  arcs to visit, about
// Out of time it returns what it has got.
void anneal(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot, std::uint64_t seed,
            std::int64_t work, const WorkBudget& watch);

}  // namespace placement

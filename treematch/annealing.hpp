// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Changes a mapping by simulated annealing; the objective is the hop-bytes. In each step a random rank moves to a free
// slot near one of its partners, or exchanges slots with the rank there. A step that raises the hop-bytes is taken with
// a probability that falls with the rise and with time.
//   graph  traffic between the ranks
//   tree   the slots that the ranks may take
//   slot   in and out: one slot per rank, all different; the result may cost more than the input
//   seed   seed of the random choices; equal arguments give equal results unless the time ends
//   work   work to do, about one arc visited each
//   watch  time budget; when it ends, `slot` holds the mapping reached by then and nothing is thrown
void anneal(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot, std::uint64_t seed,
            std::int64_t work, const WorkBudget& watch);

}  // namespace placement

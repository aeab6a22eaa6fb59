// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Changes a mapping by simulated annealing on the hop-bytes, and then by swap_search(). In each step of annealing, a
// random rank moves to a free slot near one of its partners, or exchanges slots with the rank there. A step that raises
// the hop-bytes is taken with a probability that falls with the rise and with time. Equal arguments give equal results.
// Memory: ranks times vertices above the leaves, 4 bytes each.
//   graph         the graph of `matrix`
//   leaves        leaves that ranks may take, ascending
//   leaf_of_rank  in and out: one leaf per rank, out of `leaves`, all different
//   work          units of work for each of the two searches; a step of annealing takes 7, and one for each partner
//                 beyond 32 that it visits
// Returns the hop-bytes of the mapping, which may be more than before. Throws OutOfTime when the time has ended.
Cost anneal_on(const CommMatrix& matrix, const mapping::Graph& graph, const TreeTopology& tree,
               std::span<const std::int32_t> leaves, std::vector<std::int32_t>& leaf_of_rank, std::uint64_t seed,
               std::int64_t work, const mapping::WorkBudget& watch);

}  // namespace placement::treematch

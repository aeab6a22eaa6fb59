// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/bisection.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Maps the ranks by several methods and returns the mapping with the least hop-bytes: natural order, units and
// multisection, and above tuning::huge_ranks also breadth-first order. Swaps refine mappings by units or multisection;
// if none of them is kept, they refine the best other mapping. A matrix with equal traffic between all ranks needs
// neither units nor multisection. After the deadline, returns the best mapping so far. Ignores `scope` and `levels_up`
// of `options`.
//   leaves      leaves that ranks may take, ascending, at least one per rank
//   packed      the leaves, part of `leaves`, on which the search starts: ascending, one per rank. If it is empty,
//               packed_leaves() chooses them.
//   quickly     does a tenth of the work: one multisection, no units, and swaps only after the multisection
//   bisections  earlier bisections of the matrix's graph; may be null
MapResult map_by_portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                           const MapOptions& options, std::vector<std::int32_t> packed = {}, bool quickly = false,
                           mapping::BisectionMemory* bisections = nullptr);

}  // namespace placement::treematch

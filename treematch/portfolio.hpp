// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/bisection.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Maps the ranks in natural order, by units and by multisection, refines them by swaps, and returns the mapping with
// the least hop-bytes. After the deadline, returns the best mapping so far. Ignores `scope` and `levels_up` of
// `options`.
//   leaves      leaves that ranks may take, ascending, at least one per rank
//   packed      part of `leaves` where the search starts, ascending, one per rank; empty: what packed_leaves() chooses
//   quickly     tries only the natural order and multisection, with a tenth of the work
//   bisections  earlier bisections of the matrix's graph; may be null
MapResult map_by_portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                           const MapOptions& options, std::vector<std::int32_t> packed = {}, bool quickly = false,
                           mapping::BisectionMemory* bisections = nullptr);

}  // namespace placement::treematch

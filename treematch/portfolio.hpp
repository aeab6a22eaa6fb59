// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/bisection.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Maps the ranks in natural order, by units and by multisection, and returns the mapping with the least hop-bytes.
// Swaps refine mappings by units and multisection, or the natural order if none of them is kept. After the deadline,
// returns the best mapping so far, at worst the natural order. `scope` and `levels_up` of `options` are not read.
//   leaves      leaves that ranks may take, ascending, at least one per rank
//   packed      part of `leaves` for the start, ascending, one per rank; empty: what packed_leaves() chooses
//   quickly     tries the natural order and multisection only, with a tenth of the work; `bisections` may be null
MapResult map_by_portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                           const MapOptions& options, std::vector<std::int32_t> packed = {}, bool quickly = false,
                           mapping::BisectionMemory* bisections = nullptr);

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/bisection.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Maps the ranks in several ways and returns the mapping with the least hop-bytes. The ways are: natural order, units
// and multisection. Mappings by units and multisection are refined by swaps. When none of them is kept, the natural
// order is refined.
//   matrix   traffic between the ranks; at least one rank
//   leaves   leaves that ranks may take, ascending, at least one per rank
//   options  the fields `scope` and `levels_up` are not read
//   packed   leaves from which the search starts, a part of `leaves`, ascending, one per rank; when it is empty, the
//            search starts from the leaves that packed_leaves() chooses
//   quickly  tries the natural order and multisection only, with a tenth of the work
//   bisections
//            memory of the bisections of the matrix's graph, for multisection(); null: none
// When the deadline passes, returns the best mapping found so far, at worst the natural order.
MapResult map_by_portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                           const MapOptions& options, std::vector<std::int32_t> packed = {}, bool quickly = false,
                           mapping::BisectionMemory* bisections = nullptr);

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement {

// Maps the ranks of `matrix` onto leaves of the ascending list `leaves` in several ways (natural order, greedy, units,
// grouping, multisection, each refined by swaps) and returns the mapping with the least hop-bytes. Ranks may move to any
// leaf of the list. The search starts from the leaves `packed`, ascending and one per rank; where `packed` is empty, it
// starts from those that packed_leaves() chooses. The fields `scope` and `levels_up` of the options are not read.
// `quickly`: natural order and multisection alone, with a tenth of the effort.
// Where the deadline passes, the result is the best mapping found so far, at worst the natural order.
MapResult map_by_portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                           const MapOptions& options, std::vector<std::int32_t> packed = {}, bool quickly = false);

}  // namespace placement

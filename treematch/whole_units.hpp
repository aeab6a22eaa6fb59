// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Maps ranks by units of eight where the vertices just above the leaves have unequal numbers of usable leaves, such as
// nodes of which other jobs use some cores. A vertex takes whole units only. The rest of its leaves stays free, because
// units that fit together would have to be broken up to fill it. Ranks may move there afterwards, where that costs
// less.
//   usable   ascending, more leaves than ranks
//   options  the scope is `subtree` or `whole`
// Returns nothing when at most one of these numbers is different, when the scope has too few places for the units, when
// the traffic does not fall into units, when there is no time for so many, which are more than 16,384 ranks or 32 pairs
// for each, and when the time has ended.
std::optional<MapResult> map_whole_units(const CommMatrix& matrix, const TreeTopology& tree,
                                         std::span<const std::int32_t> usable, const MapOptions& options);

}  // namespace placement::treematch

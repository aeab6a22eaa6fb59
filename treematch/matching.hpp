// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement {

// Hierarchical matching as published [JA §2], a policy of its own: groups by matchings of maximum
// weight from the leaves up, laid on the chosen leaves from left to right, and nothing else.
// More than 4,096 ranks, or 2^18 pairs, are matched heaviest first instead. Arguments, result and
// errors as for map_to_tree; seed, work limit and deadline have no influence.
MapResult map_by_matching(const CommMatrix& matrix, const TreeTopology& tree,
                          std::span<const std::int32_t> usable, const MapOptions& options);

}  // namespace placement

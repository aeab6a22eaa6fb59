// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Chooses one of the usable leaves for each rank, with few hop-bytes. It searches below each of the lowest vertices
// with enough usable leaves, and then the fullest smaller subtrees that the scope admits. It keeps the best mapping, so
// a wider scope never costs more than a narrower one. When the deadline passes, it returns the best mapping found so
// far, or no leaves. It does not try the natural order on the first usable leaves.
//   matrix, usable   at least one rank and one pair; leaves that may be taken, ascending, at least one per rank
//   options, work    scope `subtree` or `whole`; no further subtree is searched after this number of visited arcs
MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options, std::int64_t work);

}  // namespace placement::treematch

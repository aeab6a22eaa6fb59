// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Chooses one of the usable leaves for each rank, with few hop-bytes. It searches below each of the lowest vertices
// that have enough usable leaves, and then the fullest smaller subtrees that the scope in `options` admits. The best
// mapping so far is kept, so that a wider scope never costs more than a narrower one.
//   matrix   traffic between the ranks; at least one rank and one pair
//   usable   leaves that may be taken, ascending, at least one per rank
//   options  the scope is `subtree` or `whole`
//   work     units of work (about one arc visited each) after which no further subtree is searched
// When the deadline passes, returns the best mapping found so far.
MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options, std::int64_t work);

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/pairing.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// The policy MATCHING: groups of ranks take the leaves in scope from left to right, without refinement. Matchings of
// maximum weight form the groups from the leaves up [JA §2]. With more than 4,096 ranks or 2^18 pairs, ranks are paired
// by falling traffic instead. Returns one leaf per rank and the hop-bytes of the mapping.
// Throws Error for a wrong list of leaves, too few leaves, or over 2,048 ranks with Pairing::assignment.
//   usable   leaves that may be taken, ascending without duplicates, at least one per rank
//   options  only `scope` and `levels_up` are used
MapResult map_by_matching(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                          const MapOptions& options, Pairing pairing = Pairing::maximum_weight);

}  // namespace placement::treematch

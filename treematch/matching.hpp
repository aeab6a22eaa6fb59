// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/pairing.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Maps the ranks by hierarchical matching as published [JA §2]; the policy MATCHING. Groups are made by matchings of
// maximum weight from the leaves up and laid on the chosen leaves from left to right. There is no refinement.
// With more than 4,096 ranks or 2^18 pairs of ranks, pairs are matched by falling traffic instead of
// Pairing::maximum_weight. Pairing::assignment is the Hungarian method of the paper, for comparison; it takes at most
// 2,048 ranks.
//   matrix   traffic between the ranks
//   usable   leaves that may be taken, ascending without duplicates, at least one per rank
//   options  only `scope` and `levels_up` are read
// Returns one leaf per rank, the hop-bytes of the mapping and those of the natural order. Throws Error when there are
// too many ranks for `assignment`, or more ranks than usable leaves. Throws it also when a leaf is out of range, listed
// twice or out of order.
MapResult map_by_matching(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                          const MapOptions& options, Pairing pairing = Pairing::maximum_weight);

}  // namespace placement::treematch

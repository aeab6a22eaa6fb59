// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement {

// Returns the traffic on the link between each vertex of the tree and its parent, by vertex. It is the sum over all
// pairs of ranks with exactly one rank below the vertex; 0 for the root. `leaf_of_rank` holds the leaf of each rank.
// Takes O(pairs * depth of the tree).
std::vector<Cost> link_traffic(const TreeTopology& tree, const CommMatrix& matrix,
                               std::span<const std::int32_t> leaf_of_rank);

// Returns the link of a node or switch with the most traffic, as "1200 bytes above n[1-4]". Here n[1-4] are the view's
// nodes below the link that have ranks. Ties go to the link nearest to the root, then to the first one. Links within
// nodes do not count. Returns an empty string when no traffic leaves a node. `node_of_rank` holds indices of the view's
// nodes, `leaf_of_rank` the leaves of its tree.
std::string busiest_link(const ClusterView& view, const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank,
                         std::span<const std::int32_t> leaf_of_rank);

}  // namespace placement

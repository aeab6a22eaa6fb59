// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement {

// Returns the traffic on the link between each vertex of the tree and its parent, by vertex: the sum over all pairs of
// ranks with exactly one rank below the vertex. The root has none. `leaf_of_rank` holds the leaf of each rank. It
// takes a time that grows with the pairs times the depth of the tree.
std::vector<Cost> link_traffic(const TreeTopology& tree, const CommMatrix& matrix,
                               std::span<const std::int32_t> leaf_of_rank);

// Names the link of a node or switch has the most traffic, as "1200 bytes above n[1-4]", where n[1-4] are those of
// the view's nodes that are below the link and have ranks. Ties go to the link that is nearest to the root, then to the
// first one. Links within nodes do not count. Returns an empty string when no traffic leaves a node. `node_of_rank`
// holds indices of the view's nodes, `leaf_of_rank` the leaves of its tree.
std::string busiest_link(const ClusterView& view, const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank,
                         std::span<const std::int32_t> leaf_of_rank);

}  // namespace placement

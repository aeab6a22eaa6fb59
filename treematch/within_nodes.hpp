// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/util/deadline.hpp"
#include "mapping/slots.hpp"

namespace placement::treematch {

// The nodes whose ranks are placed again. If the leaves were chosen by traffic, nodes without free slots gain little.
enum class SocketsOf { all_nodes, nodes_with_free_slots };

// Places the ranks of each node on the node's sockets and caches by their traffic, if these ranks are on several of
// them. They may take all slots of the node, including free ones. The node of each rank stays. Nodes are handled in
// their order until the deadline passes.
//   leaf_of_rank  in and out: the leaf of a slot for each rank of request.matrix; hop-bytes never rise
//   effort        MapOptions::effort for the ranks of one node
// Returns whether the leaf of any rank changed.
bool place_on_sockets(const ClusterView& view, const Request& request, const mapping::Slots& slots,
                      std::vector<std::int32_t>& leaf_of_rank, SocketsOf which, std::int32_t effort,
                      const Deadline& deadline);

}  // namespace placement::treematch

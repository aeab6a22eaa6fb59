// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/util/deadline.hpp"
#include "mapping/slots.hpp"

namespace placement::treematch {

// Which nodes are done. Where a mapping has chosen the leaves of the ranks by their traffic, only nodes with slots that
// no rank has can gain much.
enum class SocketsOf { all_nodes, nodes_with_free_slots };

// Places the ranks of each node on the node's sockets by their traffic, where a node has several sockets and its ranks
// are on more than one of them. All slots of the node may be taken, those that no rank has, too. The node of each rank
// stays. The nodes are done in their order until the deadline passes.
//   leaf_of_rank  in and out: the leaf of a slot for each rank of request.matrix; hop-bytes never rise
//   effort        MapOptions::effort for the ranks of one node
// Returns whether a rank has another leaf than before.
bool place_on_sockets(const ClusterView& view, const Request& request, const mapping::Slots& slots,
                      std::vector<std::int32_t>& leaf_of_rank, SocketsOf which, std::int32_t effort,
                      const Deadline& deadline);

}  // namespace placement::treematch

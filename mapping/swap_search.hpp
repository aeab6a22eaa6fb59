// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/util/deadline.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"

namespace placement {

// Local search on the true objective: each rank in turn is offered the slots near its partners, by
// a swap or, where the slot is free, a move; the best strict gain is taken, and those concerned
// wait in a queue for their next turn. Ends when no rank gains or the work is done.
// `slot` has one slot per rank, all different. Returns the work left over.
std::int64_t swap_search(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot,
                         std::int64_t work, const Deadline& deadline);

}  // namespace placement

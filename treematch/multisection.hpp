// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/util/deadline.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"

namespace placement {

// Splits the ranks down the tree, at each vertex into parts for its children, with little traffic
// between the parts [TM §5]. Where the tree has as many slots as there are ranks, each part has
// exactly as many ranks as there are slots; where it has more, at each vertex the fewest children
// are taken that hold the part, and the traffic decides how many ranks go to each of them.
// `work` (arcs visited, about) decides how many bisections are tried at each step, at least one.
// Once the deadline has passed, what is left is split as it comes. Returns the slot of each rank.
std::vector<std::int32_t> multisection(const Graph& graph, const LeafTree& tree, std::uint64_t seed,
                                       std::int64_t work, const Deadline& deadline);

}  // namespace placement

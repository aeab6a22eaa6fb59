// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement {

// The usable leaves that a scope admits, ascending, at least `ranks` of them [TM §6]:
//   given    the first `ranks` ones from the left
//   whole    all
//   subtree  those of the lowest subtree that has enough, the leftmost of that height, or of its
//            ancestor `levels_up` levels further up
// `usable` is ascending and has at least `ranks` entries.
std::vector<std::int32_t> leaves_in_scope(const TreeTopology& tree,
                                          std::span<const std::int32_t> usable, std::int32_t ranks,
                                          LeafScope scope, std::int32_t levels_up);

// The leaves of the ascending list `usable` that lie below the vertex, or that the vertex itself is.
std::vector<std::int32_t> leaves_below(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t vertex);

// The vertices of one height with at least `ranks` usable leaves below them, from left to right.
// `usable` is ascending, `ranks` at least 1, `height` 0 for leaves.
std::vector<std::int32_t> subtrees_with_enough(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                               std::int32_t ranks, std::int32_t height);

// The ancestors of the vertices `levels` levels up, or the root, each once, in the order of the vertices.
std::vector<std::int32_t> ancestors(const TreeTopology& tree, std::span<const std::int32_t> vertices, std::int32_t levels);

// `count` of the usable leaves that lie close together: in the lowest subtree that holds them all,
// there the fullest children, and the rest again as tightly as it fits.
std::vector<std::int32_t> packed_leaves(const TreeTopology& tree,
                                        std::span<const std::int32_t> usable, std::int32_t count);

// The `count` leaves of the fullest subtrees of that height, wherever these are; of the last one its first leaves. Ascending.
std::vector<std::int32_t> fullest_subtrees(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t count,
                                           std::int32_t height);

}  // namespace placement

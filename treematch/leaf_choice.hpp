// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Throws Error unless `usable` is ascending without duplicates, has only leaves of the tree, and has at least `ranks`
// entries.
void check_usable(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks);

// Returns the usable leaves that a scope admits, ascending, at least `ranks` of them [TM §6]:
//   given    the first `ranks` usable leaves from the left
//   whole    all usable leaves
//   subtree  the usable leaves of the lowest subtree that has enough of them, or of its ancestor `levels_up` levels
//            higher; ties between subtrees of one height go to the leftmost
// `usable` is ascending and has at least `ranks` entries; `levels_up` is used for `subtree` only.
std::vector<std::int32_t> leaves_in_scope(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                          std::int32_t ranks, LeafScope scope, std::int32_t levels_up);

// Returns the leaves of the ascending list `usable` that lie below the vertex. A leaf counts as below itself.
std::vector<std::int32_t> leaves_below(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                       std::int32_t vertex);

// Returns whether all `leaves` lie below the vertex. The list is ascending and not empty.
bool all_below(const TreeTopology& tree, std::span<const std::int32_t> leaves, std::int32_t vertex);

// Returns the vertices of one height with at least `ranks` usable leaves below them, from left to right. `usable` is
// ascending and `ranks` at least 1. `height` counts the levels above a vertex's deepest leaf, 0 for a leaf.
std::vector<std::int32_t> subtrees_with_enough(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                               std::int32_t ranks, std::int32_t height);

// Returns the lowest subtrees with at least `ranks` usable leaves, all of one height, from left to right.
// `usable` is ascending and has at least `ranks` entries, which is at least 1.
std::vector<std::int32_t> lowest_subtrees(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                          std::int32_t ranks);

// Returns the ancestors of the vertices `levels` levels up, at most the root. Each ancestor is listed once, in the
// order of the vertices.
std::vector<std::int32_t> ancestors(const TreeTopology& tree, std::span<const std::int32_t> vertices,
                                    std::int32_t levels);

// Chooses `count` usable leaves that lie close together; `usable` is ascending and has at least `count` entries. Takes
// the lowest subtree that has enough of them, and in it the children with the most usable leaves. The remaining leaves
// come from the tightest of the other children, by the same rule. Returns the leaves ascending.
std::vector<std::int32_t> packed_leaves(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                        std::int32_t count);

// Chooses `count` usable leaves from the subtrees of the given height that have the most usable leaves, anywhere in the
// tree. From the last subtree it takes the leftmost leaves. `usable` is ascending and has at least `count` entries.
// Returns the leaves ascending.
std::vector<std::int32_t> fullest_subtrees(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                           std::int32_t count, std::int32_t height);

}  // namespace placement::treematch

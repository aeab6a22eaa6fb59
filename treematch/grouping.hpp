// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// How the vertices of a graph are matched in pairs.
enum class Pairing {
  heaviest_first,  // takes pairs by falling traffic: at least half of the maximum weight, in nearly linear time
  maximum_weight,  // finds a matching of maximum weight [JA §2]
  assignment,      // the Hungarian method as published [JA §2], for up to 2,048 vertices
};

// Matches the vertices of a graph in pairs with much traffic. Returns the partner of each vertex, or -1. The result is
// deterministic; with heaviest_first, ties go to the pair with the lower vertices. Throws Error when there are too many
// vertices for an assignment, and for maximum_weight in a build without LEMON.
std::vector<std::int32_t> paired(const mapping::Graph& graph, Pairing pairing);

// Orders the vertices of a graph by hierarchical grouping [JA §2], from the leaves up. Joins vertices to groups of the
// lowest arity, and these groups, by the traffic between them, to groups of the next arity. A group of more than two
// vertices is made of pairs of pairs; a group of odd size takes one more vertex. Returns all vertices; each group of
// each level is one consecutive run. If the arities' product differs from the number of vertices, the last groups are
// smaller.
//   arities  children of a vertex at each level, from the root to the leaves, each at least 1
//   pairing  how pairs are chosen; ties go to the lower numbers
std::vector<std::int32_t> grouped_order(const mapping::Graph& graph, std::span<const std::int32_t> arities,
                                        Pairing pairing);

// The policy MATCHING: groups of ranks take the leaves in scope from left to right, without refinement. Matchings of
// maximum weight form the groups from the leaves up [JA §2], by the arities of the branch with the most leaves. With
// more than 4,096 ranks or 2^18 pairs, ranks are paired by falling traffic instead. Returns one leaf per rank and the
// hop-bytes of the mapping. Throws Error for a wrong list of leaves, too few leaves, or over 2,048 ranks with
// Pairing::assignment.
//   usable   leaves that may be taken, ascending without duplicates, at least one per rank
//   options  only `scope` and `levels_up` are used
MapResult map_by_matching(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                          const MapOptions& options, Pairing pairing = Pairing::maximum_weight);

}  // namespace placement::treematch

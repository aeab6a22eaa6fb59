// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/pairing.hpp"

namespace placement::treematch {

// Orders the vertices of a graph by hierarchical grouping [JA §2], from the leaves up. Joins vertices to groups of the
// lowest arity, and these groups, by the traffic between them, to groups of the next arity. A group of more than two
// vertices is made of pairs of pairs; a group of odd size takes one more vertex. Returns all vertices; each group of
// each level is one consecutive run. If the arities' product differs from the number of vertices, the last groups are
// smaller. Throws OutOfTime.
//   arities  children of a vertex at each level, from the root to the leaves, each at least 1
//   pairing  how pairs are chosen; ties go to the lower numbers
std::vector<std::int32_t> grouped_order(const mapping::Graph& graph, std::span<const std::int32_t> arities,
                                        Pairing pairing, const mapping::WorkBudget& watch = mapping::WorkBudget());

// Maps the vertices of a graph to the slots of a tree by grouped_order(). The tree has as many slots as the graph has
// vertices; its subtrees may be unequal. The arities are those of the branch with the most slots. The ordered vertices
// take the slots from left to right. Returns the slot of each vertex. Throws OutOfTime.
std::vector<std::int32_t> grouped_mapping(const mapping::Graph& graph, const mapping::LeafTree& tree, Pairing pairing,
                                          const mapping::WorkBudget& watch = mapping::WorkBudget());

}  // namespace placement::treematch

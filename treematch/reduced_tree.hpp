// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "treematch/subtree_classes.hpp"

namespace placement::treematch {

// A vertex of a reduced tree.
struct ReducedVertex {
  std::int32_t vertex = 0;  // its number in the whole tree
  std::int32_t of = 0;      // class of the subtree below it
  std::int32_t parent = -1;
  std::int32_t first_child = 0;
  std::int32_t children = 0;
  std::int32_t first_leaf = 0;  // leaves of the reduced tree are numbered from 0 on, from left to right
  std::int32_t leaves = 1;
  std::int32_t slots = 0;    // largest number of ranks below
  std::int64_t nearest = 0;  // least position of a leaf below
  std::int32_t used = 0;     // for the search: number of ranks placed below
};

// Returns the subtree below `top` without the children that SubtreeClasses leaves out; classes.of(top) is not -1.
// Vertices come after their parents. Siblings follow each other, those of one class side by side.
std::vector<ReducedVertex> reduced_tree(const TreeTopology& tree, const SubtreeClasses& classes, std::int32_t top);

}  // namespace placement::treematch

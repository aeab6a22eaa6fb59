// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/reduced_tree.hpp"

namespace placement::treematch {

namespace {

ReducedVertex vertex_of(const SubtreeClasses& classes, std::int32_t vertex, std::int32_t parent) {
  ReducedVertex reduced;
  reduced.vertex = vertex;
  reduced.of = classes.of(vertex);
  reduced.parent = parent;
  reduced.slots = classes.classes()[reduced.of].slots;
  reduced.nearest = classes.classes()[reduced.of].nearest;
  return reduced;
}

void number_leaves(std::vector<ReducedVertex>& all) {
  for (std::size_t v = all.size(); v-- > 0;) {
    if (all[v].children > 0) all[v].leaves = 0;
    for (std::int32_t k = 0; k < all[v].children; ++k) all[v].leaves += all[all[v].first_child + k].leaves;
  }
  for (const ReducedVertex& v : all)
    for (std::int32_t k = 0, next = v.first_leaf; k < v.children; ++k) {
      all[v.first_child + k].first_leaf = next;
      next += all[v.first_child + k].leaves;
    }
}

}  // namespace

std::vector<ReducedVertex> reduced_tree(const TreeTopology& tree, const SubtreeClasses& classes, std::int32_t top) {
  std::vector<ReducedVertex> all{vertex_of(classes, top, -1)};
  for (std::size_t v = 0; v < all.size(); ++v) {
    all[v].first_child = static_cast<std::int32_t>(all.size());
    for (const SubtreeClass::Run& run : classes.classes()[all[v].of].children) {
      std::int32_t left = run.count;
      for (const std::int32_t child : tree.children(all[v].vertex))
        if (classes.of(child) == run.of && left-- > 0)
          all.push_back(vertex_of(classes, child, static_cast<std::int32_t>(v)));
    }
    all[v].children = static_cast<std::int32_t>(all.size()) - all[v].first_child;
  }
  number_leaves(all);
  return all;
}

}  // namespace placement::treematch

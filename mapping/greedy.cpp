// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/greedy.hpp"

#include <algorithm>

#include "mapping/leaf_tree.hpp"

namespace placement::mapping {

namespace {

// Keeps the number of free slots below each vertex of a tree, and takes the free slot nearest to a given one.
class FreeSlots {
 public:
  FreeSlots(const LeafTree& tree, const WorkBudget& watch) : tree_(tree), watch_(watch), free_(tree.vertices().size()) {
    for (std::size_t v = 0; v < free_.size(); ++v) free_[v] = tree.vertex(static_cast<std::int32_t>(v)).slots;
  }

  std::int32_t take_near(std::int32_t slot) {
    std::int32_t v = tree_.slot_vertex(slot);
    while (free_[v] == 0) v = tree_.vertex(v).parent;
    return take_below(v);
  }

  std::int32_t take_any() { return take_below(0); }

 private:
  std::int32_t take_below(std::int32_t v) {
    while (tree_.vertex(v).children > 0) {
      const std::int32_t first = tree_.vertex(v).first_child;
      watch_.spend(tree_.vertex(v).children);
      std::int32_t tightest = -1;
      for (std::int32_t child = first; child < first + tree_.vertex(v).children; ++child)
        if (free_[child] > 0 && (tightest < 0 || free_[child] < free_[tightest])) tightest = child;
      v = tightest;
    }
    for (std::int32_t up = v; up >= 0; up = tree_.vertex(up).parent) --free_[up];
    return tree_.vertex(v).first_slot;
  }

  const LeafTree& tree_;
  const WorkBudget& watch_;
  std::vector<std::int32_t> free_;
};

}  // namespace

std::vector<std::int32_t> greedy_leaves(const Graph& graph, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                                        const WorkBudget& watch) {
  std::sort(leaves.begin(), leaves.end());
  const LeafTree places(tree, leaves);
  std::vector<std::int32_t> leaf_of_rank = greedy_slots(graph, FreeSlots(places, watch), watch);
  for (std::int32_t& slot : leaf_of_rank) slot = places.leaf(slot);
  return leaf_of_rank;
}

}  // namespace placement::mapping

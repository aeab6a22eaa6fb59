// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/greedy.hpp"

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

std::vector<std::int32_t> greedy_mapping(const Graph& graph, const LeafTree& tree, const WorkBudget& watch) {
  std::vector<std::int32_t> slot(graph.vertices(), -1);
  FreeSlots free(tree, watch);
  for (const HeavyPair& pair : pairs_by_weight(graph, watch)) {
    watch.spend(1);
    if (slot[pair.a] >= 0 && slot[pair.b] >= 0) continue;
    if (slot[pair.a] < 0 && slot[pair.b] < 0) slot[pair.a] = free.take_any();
    if (slot[pair.a] < 0)
      slot[pair.a] = free.take_near(slot[pair.b]);
    else
      slot[pair.b] = free.take_near(slot[pair.a]);
  }
  for (std::int32_t& s : slot)
    if (s < 0) s = free.take_any();
  return slot;
}

}  // namespace placement::mapping

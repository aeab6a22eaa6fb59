// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/swap_search.hpp"

#include <algorithm>

#include "common/util/sequence.hpp"
#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

constexpr std::int32_t nobody = -1;

// In this class, a group is the set of leaves just below one vertex.
class SwapSearch {
 public:
  SwapSearch(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot, const WorkBudget& watch)
      : graph_(graph),
        tree_(tree),
        watch_(watch),
        slot_(slot),
        owner_(tree.slots(), nobody),
        seen_(tree.vertices().size(), 0) {
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) owner_[slot[rank]] = rank;
    if (!thorough()) return;
    for (std::size_t v = 0; v < seen_.size(); ++v)
      if (tree.vertices()[v].children > 0) groups_.push_back(static_cast<std::int32_t>(v));
  }

  // Searches until no rank gains, or until the work or the time is used up. `slot` then holds the mapping reached.
  void run(std::int64_t work) {
    const std::int32_t n = graph_.vertices();
    std::vector<std::int32_t> queue = numbers(n);  // a ring: each rank waits at most once
    waiting_.assign(n, 1);
    std::int32_t head = 0;
    std::int32_t length = n;
    const auto wake = [&](std::int32_t rank) {
      if (waiting_[rank]) return;
      waiting_[rank] = 1;
      queue[(head + length++) % n] = rank;
    };
    while (length > 0 && work > 0) {
      const std::int32_t rank = queue[head];
      head = head + 1 < n ? head + 1 : 0;
      --length;
      waiting_[rank] = 0;
      work_ = 1;
      try {
        find_step(rank);
      } catch (const OutOfTime&) {
        break;
      }
      work -= work_;
      if (target_ == nobody) continue;
      const std::int32_t other = exchange(rank, target_);
      for (const std::int32_t moved : {rank, other}) {
        if (moved == nobody) continue;
        wake(moved);
        for (const Arc& arc : graph_.arcs(moved)) wake(arc.to);
      }
    }
  }

 private:
  // Returns the cost of a rank's traffic on `slot`, without the traffic with `other`.
  std::int64_t cost_on(std::int32_t rank, std::int32_t slot, std::int32_t other) {
    std::int64_t cost = 0;
    for (const Arc& arc : graph_.arcs(rank))
      if (arc.to != other) cost += arc.weight * tree_.distance(slot, slot_[arc.to]);
    visit(rank);
    return cost;
  }

  // Counts the arcs of a rank as work done.
  void visit(std::int32_t rank) {
    const auto arcs = std::ssize(graph_.arcs(rank));
    work_ += arcs;
    watch_.spend(arcs);
  }

  // Sets target_ to the slot with the largest joint gain of the rank and the slot's occupant, or to nobody when no slot
  // gains.
  void find_step(std::int32_t rank) {
    target_ = nobody;
    best_ = 0;
    ++turn_;
    const std::int32_t from = slot_[rank];
    cost_before_ = cost_on(rank, from, nobody);
    if (thorough()) {
      for (const std::int32_t v : groups_) try_group(rank, v);
      return;
    }
    seen_[group(from)] = turn_;
    const auto arcs = graph_.arcs(rank);
    for (std::size_t k = 0; k < std::min(arcs.size(), partners_tried); ++k) {
      const std::int32_t near = group(slot_[arcs[k].to]);
      if (near < 0) return;  // a tree of one slot
      const std::int32_t above = tree_.vertex(near).parent;
      if (above < 0 || tree_.vertex(above).slots > slots_near_by) {
        try_group(rank, near);
      } else if (seen_[above] != turn_) {
        seen_[above] = turn_;
        for (std::int32_t c = 0; c < tree_.vertex(above).children; ++c)
          try_group(rank, tree_.vertex(above).first_child + c);
      }
    }
  }

  // Whether all slots are tried, not only those near partners.
  bool thorough() const { return tree_.slots() <= slots_all_tried; }

  std::int32_t group(std::int32_t slot) const { return tree_.vertex(tree_.slot_vertex(slot)).parent; }

  // Tries the leaves just below vertex v. Skips groups in which this rank alone does not gain: an exchange gains only
  // if one of the two ranks gains by itself, and each rank has its own turn.
  void try_group(std::int32_t rank, std::int32_t v) {
    if (seen_[v] == turn_) return;
    seen_[v] = turn_;
    const LeafTree::Vertex& vertex = tree_.vertex(v);
    if (vertex.children == 0) return;
    watch_.spend(1);
    const std::int32_t last = vertex.first_child + std::min(vertex.children, children_tried);
    std::int64_t cost = -1;
    std::int64_t position = -1;
    for (std::int32_t child = vertex.first_child; child < last; ++child) {
      if (tree_.vertex(child).children > 0) continue;
      if (tree_.vertex(child).position != position) {
        position = tree_.vertex(child).position;
        cost = cost_in(rank, v, position);
      }
      if (cost < cost_before_ || thorough()) try_slot(rank, tree_.vertex(child).first_slot, cost);
    }
  }

  // Returns the cost of a rank on a leaf with this position just below v. A partner on the examined leaf counts as if
  // it were on another leaf below v.
  std::int64_t cost_in(std::int32_t rank, std::int32_t v, std::int64_t position) {
    std::int64_t cost = 0;
    visit(rank);
    std::int32_t leaf = tree_.vertex(v).first_child;
    while (tree_.vertex(leaf).children > 0 || tree_.vertex(leaf).position != position) ++leaf;
    const std::int32_t slot = tree_.vertex(leaf).first_slot;
    for (const Arc& arc : graph_.arcs(rank)) {
      const std::int32_t other = slot_[arc.to];
      cost += arc.weight * (other == slot ? position - tree_.vertex(v).position : tree_.distance(slot, other));
    }
    return cost;
  }

  void try_slot(std::int32_t rank, std::int32_t to, std::int64_t cost_after) {
    const std::int32_t other = owner_[to];
    const std::int32_t from = slot_[rank];
    if (to == from) return;
    std::int64_t gain = cost_before_ - cost_after;
    if (other != nobody) {
      for (const Arc& arc : graph_.arcs(other)) {
        if (arc.to != rank) {
          const std::int32_t place = slot_[arc.to];
          gain += arc.weight * tree_.distance_change(from, to, place);
        } else {  // an exchange does not change the distance between the two ranks
          const std::int64_t apart = tree_.distance(from, to);
          gain -= arc.weight * (apart - sibling_distance(to));
        }
      }
      visit(other);
    }
    if (gain > best_) {
      best_ = gain;
      target_ = to;
    }
  }

  // Returns the distance that cost_in() assumed for a partner on the slot itself.
  std::int64_t sibling_distance(std::int32_t slot) const {
    const LeafTree::Vertex& leaf = tree_.vertex(tree_.slot_vertex(slot));
    return leaf.position - tree_.vertex(leaf.parent).position;
  }

  std::int32_t exchange(std::int32_t rank, std::int32_t to) {
    const std::int32_t other = owner_[to];
    const std::int32_t from = slot_[rank];
    owner_[from] = other;
    owner_[to] = rank;
    slot_[rank] = to;
    if (other != nobody) slot_[other] = from;
    return other;
  }

  const Graph& graph_;
  const LeafTree& tree_;
  const WorkBudget& watch_;
  std::vector<std::int32_t>& slot_;
  std::vector<std::int32_t> owner_;
  std::vector<std::int32_t> groups_;  // all vertices above leaves, for a thorough search
  std::vector<std::int64_t> seen_;    // the turn in which a vertex was last tried
  std::vector<std::int8_t> waiting_;
  std::int64_t turn_ = 0;
  std::int64_t work_ = 0;
  std::int64_t cost_before_ = 0;
  std::int64_t best_ = 0;
  std::int32_t target_ = nobody;
};

}  // namespace

void swap_search(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot, std::int64_t work,
                 const WorkBudget& watch) {
  if (graph.arc.empty() || tree.slots() < 2) return;
  if (graph.vertices() < ranks_in_cache) return SwapSearch(graph, tree, slot, watch).run(work);
  // Numbers the ranks by their slots, so that ranks that are near in the tree are near in memory.
  std::vector<std::int32_t> owner(tree.slots(), nobody);
  for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) owner[slot[rank]] = rank;
  std::erase(owner, nobody);
  std::vector<std::int32_t> ordered_slot(owner.size());
  for (std::size_t k = 0; k < owner.size(); ++k) ordered_slot[k] = slot[owner[k]];
  try {
    const Graph ordered = renumbered(graph, owner, watch);
    SwapSearch(ordered, tree, ordered_slot, watch).run(work);
  } catch (const OutOfTime&) {
    return;
  }
  for (std::size_t k = 0; k < owner.size(); ++k) slot[owner[k]] = ordered_slot[k];
}

void swap_search(const Graph& graph, const TreeTopology& tree, std::span<const std::int32_t> leaves,
                 std::vector<std::int32_t>& leaf_of_rank, std::int64_t work, const WorkBudget& watch) {
  const LeafTree slots(tree, leaves);
  std::vector<std::int32_t> slot = slots.slots_of(leaf_of_rank);
  swap_search(graph, slots, slot, work, watch);
  for (std::size_t rank = 0; rank < slot.size(); ++rank) leaf_of_rank[rank] = leaves[slot[rank]];
}

}  // namespace placement::mapping

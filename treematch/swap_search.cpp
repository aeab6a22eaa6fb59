// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/swap_search.hpp"

#include <algorithm>

namespace placement {

namespace {

constexpr std::int32_t nobody = -1;
constexpr std::int32_t neighbourhood = 32;  // slots around a partner that are tried
constexpr std::size_t partners_tried = 64;

class SwapSearch {
 public:
  SwapSearch(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot)
      : graph_(graph), tree_(tree), slot_(slot), owner_(tree.slots(), nobody), tried_(tree.slots(), 0) {
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) owner_[slot[rank]] = rank;
  }

  std::int64_t run(std::int64_t work, const Deadline& deadline) {
    const std::int32_t n = graph_.vertices();
    std::vector<std::int32_t> queue(n);
    waiting_.assign(n, true);
    for (std::int32_t rank = 0; rank < n; ++rank) queue[rank] = rank;
    for (std::size_t head = 0; head < queue.size() && work > 0; ++head) {
      if (head % 256 == 0 && deadline.expired()) break;
      const std::int32_t rank = queue[head];
      waiting_[rank] = false;
      work -= best_step(rank);
      if (target_ == nobody) continue;
      const std::int32_t other = exchange(rank, target_);
      wake(rank, queue);
      if (other != nobody) wake(other, queue);
      if (head > static_cast<std::size_t>(n)) {  // what was served need not stay in memory
        queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(head) + 1);
        head = static_cast<std::size_t>(-1);
      }
    }
    return work;
  }

 private:
  // The cost of a rank's traffic if it sat on `slot`, that with `other` left out.
  std::int64_t cost_on(std::int32_t rank, std::int32_t slot, std::int32_t other) const {
    std::int64_t cost = 0;
    for (const Arc& arc : graph_.arcs(rank))
      if (arc.to != other)
        cost += arc.weight * tree_.distance(slot, slot_[arc.to]);
    return cost;
  }

  std::int64_t gain(std::int32_t rank, std::int32_t to) const {
    const std::int32_t other = owner_[to];
    const std::int32_t from = slot_[rank];
    std::int64_t gain = cost_on(rank, from, other) - cost_on(rank, to, other);
    if (other != nobody) gain += cost_on(other, to, rank) - cost_on(other, from, rank);
    return gain;
  }

  // Sets target_ to the slot with the largest gain, or nobody. Returns the work it took.
  std::int64_t best_step(std::int32_t rank) {
    target_ = nobody;
    std::int64_t best = 0;
    std::int64_t work = 1;
    ++turn_;
    const auto arcs = graph_.arcs(rank);
    for (std::size_t k = 0; k < std::min(arcs.size(), partners_tried); ++k) {
      const std::int32_t v = region(slot_[arcs[k].to]);
      const std::int32_t first = tree_.vertex(v).first_slot;
      for (std::int32_t s = first; s < first + tree_.vertex(v).slots; ++s) {
        if (tried_[s] == turn_ || s == slot_[rank]) continue;
        tried_[s] = turn_;
        work += 2 * static_cast<std::int64_t>(arcs.size());
        if (owner_[s] != nobody) work += 2 * static_cast<std::int64_t>(graph_.arcs(owner_[s]).size());
        if (const std::int64_t found = gain(rank, s); found > best) {
          best = found;
          target_ = s;
        }
      }
    }
    return work;
  }

  // The largest subtree around a slot that is not too wide; at least the lowest one.
  std::int32_t region(std::int32_t slot) const {
    std::int32_t v = tree_.slot_vertex(slot);
    while (tree_.vertex(v).parent >= 0 && tree_.vertex(tree_.vertex(v).parent).slots <= neighbourhood)
      v = tree_.vertex(v).parent;
    if (tree_.vertex(v).slots == 1 && tree_.vertex(v).parent >= 0 &&
        tree_.vertex(tree_.vertex(v).parent).slots <= 8 * neighbourhood)
      v = tree_.vertex(v).parent;
    return v;
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

  void wake(std::int32_t rank, std::vector<std::int32_t>& queue) {
    const auto add = [&](std::int32_t r) {
      if (waiting_[r]) return;
      waiting_[r] = true;
      queue.push_back(r);
    };
    add(rank);
    for (const Arc& arc : graph_.arcs(rank)) add(arc.to);
  }

  const Graph& graph_;
  const LeafTree& tree_;
  std::vector<std::int32_t>& slot_;
  std::vector<std::int32_t> owner_;
  std::vector<std::int64_t> tried_;
  std::vector<bool> waiting_;
  std::int64_t turn_ = 0;
  std::int32_t target_ = nobody;
};

}  // namespace

std::int64_t swap_search(const Graph& graph, const LeafTree& tree, std::vector<std::int32_t>& slot,
                         std::int64_t work, const Deadline& deadline) {
  return SwapSearch(graph, tree, slot).run(work, deadline);
}

}  // namespace placement

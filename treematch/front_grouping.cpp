// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/front_grouping.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace placement {

namespace {

constexpr std::int32_t nobody = -1;

class FrontGrouping {
 public:
  FrontGrouping(const Graph& graph, std::int32_t size, const Watch& watch)
      : graph_(graph), size_(size), watch_(watch), left_(graph.vertices(), 0), pull_(graph.vertices(), 0),
        seen_(graph.vertices(), 0) {
    result_.group.assign(graph.vertices(), nobody);
    for (std::int32_t v = 0; v < graph.vertices(); ++v) {
      watch_.spend(static_cast<std::int64_t>(graph.arcs(v).size()) + 1);
      for (const Arc& arc : graph.arcs(v)) left_[v] += arc.weight;
      if (left_[v] > 0 && (corner_ == nobody || left_[v] < left_[corner_])) corner_ = v;
    }
  }

  FrontGroups run() {
    const std::int32_t n = graph_.vertices();
    for (std::int32_t taken = 0; taken < n;) {
      grow(std::min(size_, n - taken));
      if (members_.empty()) {
        take_any();
      } else if (choosy_ && !good_enough()) {
        ++put_off_;
        while (!members_.empty()) put_back();
        if (put_off_ > 64 + 2 * result_.groups) take_any();
      } else {
        taken += static_cast<std::int32_t>(members_.size());
        keep();
      }
    }
    return std::move(result_);
  }

 private:
  // The next group, as far as it comes.
  void grow(std::int32_t members) {
    ++turn_;
    near_.clear();
    members_.clear();
    inside_ = 0;
    while (static_cast<std::int32_t>(members_.size()) < members) {
      std::int32_t next = nearest();
      if (next == nobody && (members_.empty() || !choosy_)) next = seed();
      if (next == nobody) return;
      take(next);
    }
  }

  // Full, and not more than a sixteenth behind the best one.
  bool good_enough() const {
    return static_cast<std::int32_t>(members_.size()) == size_ && inside_ > 0 &&
           inside_ >= best_inside_ - best_inside_ / 16;
  }

  void keep() {
    best_inside_ = std::max(best_inside_, inside_);
    ++result_.groups;
    to_front(near_);
  }

  // From now on no group is put off.
  void take_any() {
    choosy_ = false;
    next_ = 0;
    std::vector<std::int32_t> all(graph_.vertices());
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) all[v] = v;
    to_front(all);
  }

  void to_front(const std::vector<std::int32_t>& vertices) {
    for (const std::int32_t v : vertices)
      if (result_.group[v] == nobody && left_[v] > 0) front_.emplace(left_[v], order_++, v);
  }

  // Where a group starts: at the front, or anywhere when all that hangs together is taken; last come
  // those that have nobody left.
  std::int32_t seed() {
    const std::vector<std::int32_t>& group = result_.group;
    while (!front_.empty()) {
      const auto [left, order, v] = front_.top();
      front_.pop();
      watch_.spend(1);
      if (group[v] == nobody && left_[v] == left) return v;
    }
    if (corner_ != nobody) return std::exchange(corner_, nobody);
    for (; next_ < graph_.vertices(); ++next_)
      if (group[next_] == nobody && left_[next_] > 0) return next_++;
    if (choosy_) return nobody;
    while (group[next_lonely_] != nobody) ++next_lonely_;
    return next_lonely_;
  }

  // The vertex that belongs into the group most, or nobody.
  std::int32_t nearest() {
    std::int32_t best = nobody;
    std::int64_t best_closing = -1;
    watch_.spend(static_cast<std::int64_t>(near_.size()) + 1);
    std::erase_if(near_, [&](std::int32_t v) { return result_.group[v] != nobody; });
    for (const std::int32_t v : near_) {
      if (best == nobody || pull_[v] > pull_[best]) {
        best = v;
        best_closing = -1;
      } else if (pull_[v] == pull_[best]) {
        if (best_closing < 0) best_closing = closing(best);
        const std::int64_t found = closing(v);
        if (found < best_closing || (found == best_closing && left_[v] >= left_[best])) continue;
        best = v;
        best_closing = found;
      }
    }
    return best;
  }

  // The traffic of a vertex with those that could follow it into the group.
  std::int64_t closing(std::int32_t v) const {
    std::int64_t sum = 0;
    watch_.spend(static_cast<std::int64_t>(graph_.arcs(v).size()));
    for (const Arc& arc : graph_.arcs(v))
      if (seen_[arc.to] == turn_ && result_.group[arc.to] == nobody)
        sum += std::min<std::int64_t>(arc.weight, pull_[arc.to]);
    return sum;
  }

  void take(std::int32_t v) {
    result_.group[v] = result_.groups;
    members_.push_back(v);
    if (seen_[v] == turn_) inside_ += pull_[v];
    watch_.spend(static_cast<std::int64_t>(graph_.arcs(v).size()) + 1);
    for (const Arc& arc : graph_.arcs(v)) {
      if (result_.group[arc.to] != nobody) continue;
      left_[arc.to] -= arc.weight;
      if (seen_[arc.to] != turn_) {
        seen_[arc.to] = turn_;
        pull_[arc.to] = 0;
        near_.push_back(arc.to);
      }
      pull_[arc.to] += arc.weight;
    }
  }

  // The last one that was taken.
  void put_back() {
    const std::int32_t v = members_.back();
    members_.pop_back();
    result_.group[v] = nobody;
    for (const Arc& arc : graph_.arcs(v))
      if (result_.group[arc.to] == nobody) left_[arc.to] += arc.weight;
  }

  using Entry = std::tuple<std::int64_t, std::int64_t, std::int32_t>;  // traffic left, order, vertex

  const Graph& graph_;
  const std::int32_t size_;
  const Watch& watch_;
  FrontGroups result_;
  std::vector<std::int64_t> left_;  // traffic with vertices that have no group yet
  std::vector<std::int64_t> pull_;  // traffic with the group that grows,
  std::vector<std::int32_t> seen_;  // in this turn
  std::int32_t turn_ = 0;
  std::vector<std::int32_t> near_;     // neighbours of that group, as they came
  std::vector<std::int32_t> members_;  // of that group
  std::int64_t inside_ = 0;            // traffic among them
  std::int64_t best_inside_ = 0;       // and inside the best group so far
  bool choosy_ = true;                 // groups behind the best one are put off
  std::int32_t put_off_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front_;
  std::int64_t order_ = 0;
  std::int32_t corner_ = nobody;
  std::int32_t next_ = 0;
  std::int32_t next_lonely_ = 0;
};

}  // namespace

FrontGroups front_groups(const Graph& graph, std::int32_t size, const Watch& watch) {
  return FrontGrouping(graph, size, watch).run();
}

}  // namespace placement

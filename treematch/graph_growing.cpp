// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/graph_growing.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace placement::treematch {

namespace {

constexpr std::int32_t nobody = -1;

class FrontGrouping {
 public:
  FrontGrouping(const mapping::Graph& graph, std::int32_t size, const mapping::WorkBudget& watch)
      : graph_(graph),
        size_(size),
        watch_(watch),
        vertex_(graph.vertices()) {}

  FrontGroups run() {
    try {
      survey();
      group_all();
    } catch (const mapping::OutOfTime&) {
      group_as_it_comes();
    }
    FrontGroups result{{}, groups_};
    result.group.reserve(vertex_.size());
    for (const Vertex& vertex : vertex_) result.group.push_back(vertex.group);
    return result;
  }

 private:
  void survey() {
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) {
      watch_.spend(std::ssize(graph_.arcs(v)) + 1);
      for (const mapping::Arc& arc : graph_.arcs(v)) vertex_[v].left += arc.weight;
      if (vertex_[v].left > 0 && (corner_ == nobody || vertex_[v].left < vertex_[corner_].left)) corner_ = v;
    }
  }

  void group_all() {
    const std::int32_t n = graph_.vertices();
    for (std::int32_t taken = 0; taken < n;) {
      grow(std::min(size_, n - taken));
      if (members_.empty()) {
        take_any();
      } else if (choosy_ && !good_enough()) {
        ++put_off_;
        while (!members_.empty()) put_back();
        if (put_off_ > std::min(64, 4 + n / size_ / 8) + 2 * groups_) {
          if (groups_ < n / size_ / 8) return group_as_it_comes();  // there is no pattern
          take_any();
        }
      } else {
        taken += static_cast<std::int32_t>(members_.size());
        keep();
      }
    }
  }

  void group_as_it_comes() {
    std::int32_t in_last = 0;
    const std::int32_t unfinished = groups_;
    for (const std::int32_t v : members_)
      if (vertex_[v].group == unfinished) vertex_[v].group = nobody;
    for (Vertex& vertex : vertex_) {
      if (vertex.group != nobody) continue;
      vertex.group = groups_;
      if (++in_last < size_) continue;
      ++groups_;
      in_last = 0;
    }
    if (in_last > 0) ++groups_;
  }

  // Grows the next group to `members` vertices, or to fewer if it finds no more.
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

  // Whether the group is full and has at least 15/16 of the traffic inside the best group so far.
  bool good_enough() const {
    return static_cast<std::int32_t>(members_.size()) == size_ && inside_ > 0 &&
           inside_ >= best_inside_ - best_inside_ / 16;
  }

  void keep() {
    best_inside_ = std::max(best_inside_, inside_);
    ++groups_;
    for (const std::int32_t v : near_)
      if (vertex_[v].group == nobody && vertex_[v].left > 0) to_front(v);
  }

  // From this call on, no group is put off: all ungrouped vertices become seeds again.
  void take_any() {
    choosy_ = false;
    next_ = 0;
    for (std::int32_t v = 0; v < graph_.vertices(); ++v)
      if (vertex_[v].group == nobody && vertex_[v].left > 0) to_front(v);
  }

  void to_front(std::int32_t v) { front_.push({vertex_[v].left, order_++, v}); }

  // Returns the vertex at which a group starts: a neighbour of earlier groups, or any vertex when the connected
  // component is used up. Vertices without traffic to ungrouped vertices come last.
  std::int32_t seed() {
    while (!front_.empty()) {
      const Entry entry = front_.top();
      front_.pop();
      watch_.spend(1);
      if (vertex_[entry.v].group == nobody && vertex_[entry.v].left == entry.left) return entry.v;
    }
    if (corner_ != nobody) return std::exchange(corner_, nobody);
    for (; next_ < graph_.vertices(); ++next_)
      if (vertex_[next_].group == nobody && vertex_[next_].left > 0) return next_++;
    if (choosy_) return nobody;
    while (vertex_[next_lonely_].group != nobody) ++next_lonely_;
    return next_lonely_;
  }

  // Returns the neighbour that the group takes next, or nobody when the group has no ungrouped neighbour.
  std::int32_t nearest() {
    std::int32_t best = nobody;
    std::int32_t best_pull = 0;
    std::int64_t best_closing = -1;
    watch_.spend(std::ssize(near_) + 1);
    for (const std::int32_t v : near_) {
      const Vertex& vertex = vertex_[v];
      if (vertex.group != nobody || vertex.pull < best_pull) continue;
      if (vertex.pull > best_pull || best == nobody) {
        best = v;
        best_pull = vertex.pull;
        best_closing = -1;
        continue;
      }
      if (best_closing < 0) best_closing = closing(best);
      const std::int64_t found = closing(v);
      if (found < best_closing || (found == best_closing && vertex.left >= vertex_[best].left)) continue;
      best = v;
      best_closing = found;
    }
    return best;
  }

  // Returns the traffic of a vertex with the group's other neighbours, which could join the group after it.
  std::int64_t closing(std::int32_t v) const {
    std::int64_t sum = 0;
    watch_.spend(std::ssize(graph_.arcs(v)));
    for (const mapping::Arc& arc : graph_.arcs(v)) {
      const Vertex& to = vertex_[arc.to];
      if (to.seen == turn_ && to.group == nobody) sum += std::min(arc.weight, to.pull);
    }
    return sum;
  }

  void take(std::int32_t v) {
    vertex_[v].group = groups_;
    members_.push_back(v);
    if (vertex_[v].seen == turn_) inside_ += vertex_[v].pull;
    watch_.spend(std::ssize(graph_.arcs(v)) + 1);
    for (const mapping::Arc& arc : graph_.arcs(v)) {
      Vertex& to = vertex_[arc.to];
      if (to.group != nobody) continue;
      to.left -= arc.weight;
      if (to.seen != turn_) {
        to.seen = turn_;
        to.pull = 0;
        near_.push_back(arc.to);
      }
      to.pull += arc.weight;
    }
  }

  // Removes the member that joined last from the group.
  void put_back() {
    const std::int32_t v = members_.back();
    members_.pop_back();
    vertex_[v].group = nobody;
    for (const mapping::Arc& arc : graph_.arcs(v))
      if (vertex_[arc.to].group == nobody) vertex_[arc.to].left += arc.weight;
  }

  struct Vertex {
    std::int32_t group = nobody;
    std::int32_t left = 0;  // traffic with vertices that have no group yet
    std::int32_t pull = 0;  // traffic with the group that is growing; valid while seen == turn_
    std::int32_t seen = 0;  // number of the last turn in which a neighbour of the vertex joined the group
  };

  struct Entry {
    std::int32_t left;
    std::int64_t order;
    std::int32_t v;

    bool operator<(const Entry& other) const {  // std::priority_queue takes out the greatest entry first
      return left != other.left ? left > other.left : order > other.order;
    }
  };

  const mapping::Graph& graph_;
  const std::int32_t size_;
  const mapping::WorkBudget& watch_;
  std::vector<Vertex> vertex_;
  std::int32_t groups_ = 0;
  std::int32_t turn_ = 0;
  std::vector<std::int32_t> near_;     // neighbours of the group that is growing, in the order in which they were found
  std::vector<std::int32_t> members_;  // members of the group that is growing
  std::int64_t inside_ = 0;            // traffic among these members
  std::int64_t best_inside_ = 0;       // traffic inside the best group so far
  bool choosy_ = true;                 // groups that fall behind the best one are put off
  std::int32_t put_off_ = 0;           // number of groups that were put off
  std::priority_queue<Entry> front_;   // neighbours of groups; a changed `left` makes an entry void
  std::int64_t order_ = 0;
  std::int32_t corner_ = nobody;
  std::int32_t next_ = 0;
  std::int32_t next_lonely_ = 0;
};

}  // namespace

FrontGroups front_groups(const mapping::Graph& graph, std::int32_t size, const mapping::WorkBudget& watch) {
  return FrontGrouping(graph, size, watch).run();
}

double fit_of(const mapping::Graph& graph, const FrontGroups& groups, const mapping::WorkBudget& watch) {
  std::vector<std::int64_t> inside(groups.groups, 0);
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    watch.spend(std::ssize(graph.arcs(v)) + 1);
    for (const mapping::Arc& arc : graph.arcs(v))
      if (groups.group[arc.to] == groups.group[v]) inside[groups.group[v]] += arc.weight;
  }
  const auto best = static_cast<double>(*std::max_element(inside.begin(), inside.end()));
  const auto sum = static_cast<double>(std::accumulate(inside.begin(), inside.end(), std::int64_t{0}));
  return best > 0 ? sum / (best * static_cast<double>(groups.groups)) : 0;
}

}  // namespace placement::treematch

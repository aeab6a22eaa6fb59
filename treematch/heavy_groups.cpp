// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/heavy_groups.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/util/sequence.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/tuning.hpp"
#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

// Places groups of ranks on the free slots of a tree, one group at a time.
class GroupPacking {
 public:
  GroupPacking(const CommMatrix& matrix, std::vector<std::vector<std::int32_t>> groups, const TreeTopology& tree,
               std::span<const std::int32_t> leaves)
      : matrix_(matrix),
        groups_(std::move(groups)),
        whole_tree_(tree),
        tree_(tree, leaves),
        free_(tree_.slots(), true),
        group_of_(matrix.ranks()),
        to_placed_(groups_.size(), 0),
        vertex_of_(groups_.size(), -1),
        room_(tree_.vertices().size()) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const std::int32_t rank : groups_[g]) group_of_[rank] = static_cast<std::int32_t>(g);
    for (std::size_t v = 0; v < room_.size(); ++v) room_[v] = tree_.vertex(static_cast<std::int32_t>(v)).slots;
  }

  std::vector<std::int32_t> run(const mapping::WorkBudget& watch) {
    std::vector<std::int32_t> chosen;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      watch.spend(std::ssize(groups_) + std::ssize(room_));
      const std::int32_t group = next();
      const std::int32_t vertex = best_vertex(group);
      take(vertex, group, chosen);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  // Returns the unplaced group with the most traffic to placed groups. Ties go to the largest group, then to the first.
  std::int32_t next() const {
    std::int32_t best = -1;
    for (std::int32_t g = 0; g < std::ssize(groups_); ++g) {
      if (vertex_of_[g] >= 0) continue;
      if (best < 0 || to_placed_[g] > to_placed_[best] ||
          (to_placed_[g] == to_placed_[best] && groups_[g].size() > groups_[best].size()))
        best = g;
    }
    return best;
  }

  // Returns the subtree with room for the group where the group's traffic costs least. Ties go to the subtree with the
  // fewest free slots.
  std::int32_t best_vertex(std::int32_t group) const {
    const auto vertices = static_cast<std::int32_t>(room_.size());
    std::vector<double> traffic(vertices, 0);  // traffic of this group with the placed groups below each vertex
    double inside = 0;
    for (const std::int32_t rank : groups_[group])
      for (std::size_t k = 0; k < matrix_.neighbours(rank).size(); ++k) {
        const std::int32_t other = group_of_[matrix_.neighbours(rank)[k]];
        const auto weight = static_cast<double>(matrix_.weights(rank)[k]);
        if (other == group)
          inside += weight / 2;
        else if (vertex_of_[other] >= 0)
          traffic[vertex_of_[other]] += weight;
      }
    for (std::int32_t v = vertices - 1; v > 0; --v) traffic[tree_.vertex(v).parent] += traffic[v];
    std::vector<double> gain(vertices, 0);
    const auto size = static_cast<std::int32_t>(groups_[group].size());
    std::int32_t best = 0;
    for (std::int32_t v = 1; v < vertices; ++v) {
      const mapping::LeafTree::Vertex& vertex = tree_.vertex(v);
      const auto below = static_cast<double>(vertex.position - tree_.vertex(vertex.parent).position);
      gain[v] = gain[vertex.parent] + below * (traffic[v] + inside);
      if (room_[v] < size) continue;
      if (gain[v] > gain[best] || (gain[v] == gain[best] && room_[v] < room_[best])) best = v;
    }
    return best;
  }

  void take(std::int32_t vertex, std::int32_t group, std::vector<std::int32_t>& chosen) {
    std::vector<std::int32_t> leaves;
    const mapping::LeafTree::Vertex& subtree = tree_.vertex(vertex);
    for (std::int32_t slot = subtree.first_slot; slot < subtree.first_slot + subtree.slots; ++slot)
      if (free_[slot]) leaves.push_back(tree_.leaf(slot));
    leaves = packed_leaves(whole_tree_, leaves, static_cast<std::int32_t>(groups_[group].size()));
    std::int32_t slot = subtree.first_slot;
    for (const std::int32_t leaf : leaves) {
      while (tree_.leaf(slot) != leaf) ++slot;
      free_[slot] = false;
      for (std::int32_t v = tree_.slot_vertex(slot); v >= 0; v = tree_.vertex(v).parent) --room_[v];
      chosen.push_back(leaf);
    }
    vertex_of_[group] = vertex;
    for (const std::int32_t rank : groups_[group])
      for (std::size_t k = 0; k < matrix_.neighbours(rank).size(); ++k)
        to_placed_[group_of_[matrix_.neighbours(rank)[k]]] += static_cast<double>(matrix_.weights(rank)[k]);
  }

  const CommMatrix& matrix_;
  const std::vector<std::vector<std::int32_t>> groups_;
  const TreeTopology& whole_tree_;
  const mapping::LeafTree tree_;
  std::vector<bool> free_;
  std::vector<std::int32_t> group_of_;
  std::vector<double> to_placed_;        // traffic of each group with the groups that are placed
  std::vector<std::int32_t> vertex_of_;  // subtree in which each group is placed, or -1
  std::vector<std::int32_t> room_;       // free slots below each vertex
};

constexpr std::int32_t none = -1;

// Returns the leaf switch with the least room for `tasks` tasks; none when no leaf switch has room for them.
std::int32_t tightest(const std::vector<std::int32_t>& room, std::int32_t tasks) {
  std::int32_t best = none;
  for (std::int32_t s = 0; s < std::ssize(room); ++s)
    if (room[s] >= tasks && (best == none || room[s] < room[best])) best = s;
  return best;
}

// Returns the two leaf switches with the least room together for `tasks` tasks.
std::pair<std::int32_t, std::int32_t> tightest_pair(const std::vector<std::int32_t>& room, std::int32_t tasks) {
  std::pair<std::int32_t, std::int32_t> best{none, none};
  for (std::int32_t a = 0; a < std::ssize(room); ++a) {
    if (room[a] == 0) continue;
    for (std::int32_t b = a + 1; b < std::ssize(room); ++b)
      if (room[b] > 0 && room[a] + room[b] >= tasks &&
          (best.first == none || room[a] + room[b] < room[best.first] + room[best.second]))
        best = {a, b};
  }
  return best;
}

// Takes room for one group. Returns its shares; none if there would be more than `span`.
std::vector<SwitchShare> take(std::vector<std::int32_t>& room, std::int32_t tasks, std::int32_t span) {
  std::vector<SwitchShare> shares;
  const auto put = [&](std::int32_t on) {
    const std::int32_t here = std::min(tasks, room[on]);
    room[on] -= here;
    tasks -= here;
    if (here > 0) shares.push_back({on, here});
  };
  while (tasks > 0) {
    const std::int32_t one = tightest(room, tasks);
    if (span < 1 || (span == 1 && one == none)) return {};
    const auto two = span > 1 ? tightest_pair(room, tasks) : std::pair{none, none};
    if (one != none && (two.first == none || room[one] <= room[two.first] + room[two.second])) {
      put(one);
    } else if (two.first != none) {
      put(two.first);
      put(two.second);
    } else {
      const auto most = std::max_element(room.begin(), room.end());
      if (*most == 0) return {};
      put(static_cast<std::int32_t>(most - room.begin()));
      --span;
    }
  }
  return shares;
}

}  // namespace

std::vector<std::vector<std::int32_t>> heavy_groups(const CommMatrix& matrix) {
  if (matrix.all_alike()) {
    std::vector<std::int32_t> all = numbers(matrix.ranks());
    return {all};
  }
  std::int64_t heaviest = 0;
  for (std::int32_t a = 0; a < matrix.ranks(); ++a)
    for (const std::int64_t weight : matrix.weights(a)) heaviest = std::max(heaviest, weight);
  std::vector<std::int32_t> root = numbers(matrix.ranks());
  const auto top = [&](std::int32_t rank) {
    while (root[rank] != rank) rank = root[rank] = root[root[rank]];
    return rank;
  };
  for (std::int32_t a = 0; a < matrix.ranks(); ++a)
    for (std::size_t k = 0; k < matrix.neighbours(a).size(); ++k)
      if (matrix.neighbours(a)[k] > a && matrix.weights(a)[k] >= heaviest - heaviest / 4)
        root[top(a)] = top(matrix.neighbours(a)[k]);
  std::map<std::int32_t, std::vector<std::int32_t>> members;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) members[top(rank)].push_back(rank);
  std::vector<std::vector<std::int32_t>> groups;
  for (auto& [first, ranks] : members)
    if (ranks.size() > 1) groups.push_back(std::move(ranks));
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::vector<std::vector<std::int32_t>> with_single_ranks(std::vector<std::vector<std::int32_t>> groups,
                                                         std::int32_t ranks) {
  std::vector<bool> grouped(ranks, false);
  for (const std::vector<std::int32_t>& group : groups)
    for (const std::int32_t rank : group) grouped[rank] = true;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    if (!grouped[rank]) groups.push_back({rank});
  return groups;
}

std::vector<std::int32_t> leaves_for_groups(const CommMatrix& matrix,
                                            const std::vector<std::vector<std::int32_t>>& groups,
                                            const TreeTopology& tree, std::span<const std::int32_t> leaves,
                                            const mapping::WorkBudget& watch) {
  std::vector<std::vector<std::int32_t>> all = with_single_ranks(groups, matrix.ranks());
  if (groups.empty() || all.size() == 1 || std::ssize(all) * std::ssize(leaves) > most_steps_of_packing) return {};
  return GroupPacking(matrix, std::move(all), tree, leaves).run(watch);
}

std::optional<std::vector<std::vector<SwitchShare>>> spread_groups(std::span<const std::int32_t> room,
                                                                   std::span<const std::int32_t> sizes,
                                                                   std::int32_t span) {
  if (std::ssize(room) * std::ssize(room) * std::ssize(sizes) > most_steps_of_spread) return std::nullopt;
  std::vector<std::int32_t> left(room.begin(), room.end());
  std::vector<std::vector<SwitchShare>> shares(sizes.size());
  for (const std::int32_t group : ordered_numbers(sizes.size(), [&](std::int32_t g) { return -sizes[g]; })) {
    shares[group] = take(left, sizes[group], span);
    if (shares[group].empty()) return std::nullopt;
  }
  return shares;
}

}  // namespace placement::treematch

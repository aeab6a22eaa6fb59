// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/multisection.hpp"

#include <numeric>
#include <queue>
#include <utility>

#include "treematch/random.hpp"

namespace placement {

namespace {

// Grows one part after the other, each from a vertex at the edge of what is left, always by the
// vertex with the most traffic into the part.
class Growing {
 public:
  Growing(const Graph& graph, const LeafTree& tree, std::uint64_t seed)
      : graph_(graph), tree_(tree), random_(seed), part_of_(graph.vertices(), 0),
        pull_(graph.vertices(), 0) {}

  std::vector<std::int32_t> run() {
    std::vector<std::int32_t> slot(graph_.vertices(), 0);
    std::vector<std::vector<std::int32_t>> members(tree_.vertices().size());
    members[0].resize(graph_.vertices());
    std::iota(members[0].begin(), members[0].end(), 0);
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(members.size()); ++v) {
      if (tree_.vertex(v).children == 0)
        slot[members[v].front()] = tree_.vertex(v).first_slot;
      else
        split(v, members);
      std::vector<std::int32_t>().swap(members[v]);
    }
    return slot;
  }

 private:
  void split(std::int32_t v, std::vector<std::vector<std::int32_t>>& members) {
    const std::int32_t first = tree_.vertex(v).first_child;
    std::size_t next = static_cast<std::size_t>(
        random_.below(static_cast<std::int32_t>(members[v].size())));
    for (std::int32_t child = first; child < first + tree_.vertex(v).children; ++child)
      grow(v, child, members[v], next, members[child]);
  }

  // Moves as many of `from` that are still in part v as fit below `child`.
  void grow(std::int32_t v, std::int32_t child, const std::vector<std::int32_t>& from,
            std::size_t& next, std::vector<std::int32_t>& into) {
    using Entry = std::pair<std::int64_t, std::int32_t>;
    std::priority_queue<Entry> queue;
    while (static_cast<std::int32_t>(into.size()) < tree_.vertex(child).slots) {
      std::int32_t rank = -1;
      while (rank < 0 && !queue.empty()) {
        const auto [pull, candidate] = queue.top();
        queue.pop();
        if (part_of_[candidate] == v && pull_[candidate] == pull) rank = candidate;
      }
      while (rank < 0) {
        if (part_of_[from[next]] == v) rank = from[next];
        next = next + 1 < from.size() ? next + 1 : 0;
      }
      part_of_[rank] = child;
      into.push_back(rank);
      for (const Arc& arc : graph_.arcs(rank))
        if (part_of_[arc.to] == v) queue.emplace(pull_[arc.to] += arc.weight, arc.to);
    }
    for (; !queue.empty(); queue.pop()) pull_[queue.top().second] = 0;
    for (const std::int32_t rank : into) pull_[rank] = 0;
  }

  const Graph& graph_;
  const LeafTree& tree_;
  Random random_;
  std::vector<std::int32_t> part_of_;
  std::vector<std::int64_t> pull_;
};

}  // namespace

std::vector<std::int32_t> multisection(const Graph& graph, const LeafTree& tree, std::uint64_t seed) {
  return Growing(graph, tree, seed).run();
}

}  // namespace placement

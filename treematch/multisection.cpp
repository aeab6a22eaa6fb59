// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/multisection.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "treematch/bisection.hpp"

namespace placement {

namespace {

// A part of the ranks with the traffic among them.
struct Part {
  Graph graph;
  std::vector<std::int32_t> rank;  // of each vertex of the graph
};

class Multisection {
 public:
  Multisection(const LeafTree& tree, std::uint64_t seed, std::int32_t tries, const Deadline& deadline)
      : tree_(tree), bisection_(seed, tries), deadline_(deadline) {}

  std::vector<std::int32_t> run(const Graph& graph) {
    slot_.resize(graph.vertices());
    local_.assign(graph.vertices(), -1);
    std::vector<std::int32_t> order = breadth_first(graph);
    Graph ordered = renumbered(graph, order);
    descend(0, {std::move(ordered), std::move(order)});
    return std::move(slot_);
  }

 private:
  void descend(std::int32_t v, Part part) {
    const LeafTree::Vertex& vertex = tree_.vertex(v);
    bool distinct = false;
    for (std::int32_t k = 0; k < vertex.children; ++k)
      distinct = distinct || tree_.vertex(vertex.first_child + k).slots > 1;
    if (!distinct || part.graph.arc.empty() || deadline_.expired()) {
      for (std::size_t k = 0; k < part.rank.size(); ++k)
        slot_[part.rank[k]] = vertex.first_slot + static_cast<std::int32_t>(k);
      return;
    }
    split(vertex.first_child, vertex.first_child + vertex.children, std::move(part));
  }

  // Among the children `from` .. `to` - 1 of a vertex, by halves.
  void split(std::int32_t from, std::int32_t to, Part part) {
    if (to - from == 1) return descend(from, std::move(part));
    const std::int32_t middle = from + (to - from) / 2;
    const std::int32_t first = tree_.vertex(middle).first_slot - tree_.vertex(from).first_slot;
    const std::vector<std::int8_t> side = bisection_.split(part.graph, first);
    Part left = subset(part, side, 0);
    Part right = subset(part, side, 1);
    part = {};
    split(from, middle, std::move(left));
    split(middle, to, std::move(right));
  }

  Part subset(const Part& part, const std::vector<std::int8_t>& side, std::int8_t which) {
    Part subset;
    const auto n = static_cast<std::int32_t>(part.rank.size());
    for (std::int32_t v = 0; v < n; ++v)
      if (side[v] == which) {
        local_[v] = static_cast<std::int32_t>(subset.rank.size());
        subset.rank.push_back(part.rank[v]);
      }
    subset.graph.size.assign(subset.rank.size(), 1);
    subset.graph.row.reserve(subset.rank.size() + 1);
    for (std::int32_t v = 0; v < n; ++v) {
      if (side[v] != which) continue;
      for (const Arc& arc : part.graph.arcs(v))
        if (side[arc.to] == which) subset.graph.arc.push_back({local_[arc.to], arc.weight});
      subset.graph.row.push_back(static_cast<std::int64_t>(subset.graph.arc.size()));
    }
    return subset;
  }

  const LeafTree& tree_;
  Bisection bisection_;
  const Deadline& deadline_;
  std::vector<std::int32_t> slot_;
  std::vector<std::int32_t> local_;
};

// One bisection of every part on the way down costs about this much per vertex, arc and level.
std::int32_t affordable_tries(const Graph& graph, std::int64_t work) {
  const auto levels = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint32_t>(graph.vertices()))) - 3;
  const std::int64_t once = (static_cast<std::int64_t>(graph.arc.size()) + 8 * graph.vertices()) *
                            std::max<std::int64_t>(1, levels);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(work / once, 1, 8));
}

}  // namespace

std::vector<std::int32_t> multisection(const Graph& graph, const LeafTree& tree, std::uint64_t seed,
                                       std::int64_t work, const Deadline& deadline) {
  return Multisection(tree, seed, affordable_tries(graph, work), deadline).run(graph);
}

}  // namespace placement

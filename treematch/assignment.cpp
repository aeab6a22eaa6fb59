// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/assignment.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "common/util/error.hpp"

namespace placement::treematch {

namespace {

// The traffic of each pair of vertices.
class Traffic {
 public:
  explicit Traffic(const mapping::Graph& graph)
      : vertices_(static_cast<std::size_t>(graph.vertices())),
        weight_(vertices_ * vertices_, 0) {
    for (std::int32_t v = 0; v < graph.vertices(); ++v)
      for (const mapping::Arc& arc : graph.arcs(v)) {
        weight_[static_cast<std::size_t>(v) * vertices_ + static_cast<std::size_t>(arc.to)] = arc.weight;
        heaviest_ = std::max<std::int64_t>(heaviest_, arc.weight);
      }
  }

  std::size_t vertices() const { return vertices_; }
  std::int64_t between(std::size_t a, std::size_t b) const { return weight_[a * vertices_ + b]; }

  // Cost of the assignment of `b` to `a`. No vertex is worth assigning to itself.
  std::int64_t cost(std::size_t a, std::size_t b) const {
    return a == b ? (heaviest_ + 1) * static_cast<std::int64_t>(vertices_) : heaviest_ - between(a, b);
  }

 private:
  std::size_t vertices_;
  std::vector<std::int64_t> weight_;
  std::int64_t heaviest_ = 0;
};

// The Hungarian method with shortest augmenting paths. Entry 0 of rows and columns is no vertex.
class Assignment {
 public:
  explicit Assignment(const Traffic& traffic)
      : traffic_(traffic),
        row_price_(traffic.vertices() + 1, 0),
        column_price_(row_price_),
        row_of_(row_price_.size(), 0) {
    for (std::size_t row = 1; row < row_of_.size(); ++row) add(row);
  }

  // Returns the vertex that each vertex is assigned.
  std::vector<std::size_t> assigned() const {
    std::vector<std::size_t> result(row_of_.size() - 1);
    for (std::size_t column = 1; column < row_of_.size(); ++column) result[row_of_[column] - 1] = column - 1;
    return result;
  }

 private:
  void add(std::size_t row) {
    const std::size_t end = row_of_.size();
    std::vector<std::int64_t> slack(end, std::numeric_limits<std::int64_t>::max());
    std::vector<std::size_t> before(end, 0);
    std::vector<bool> reached(end, false);
    std::size_t column = 0;
    row_of_[0] = row;
    do {  // lengthens the path to the column with the least slack, until one is free
      reached[column] = true;
      const std::size_t from = row_of_[column];
      std::size_t next = 0;
      for (std::size_t c = 1; c < end; ++c) {
        if (reached[c]) continue;
        const std::int64_t reduced = traffic_.cost(from - 1, c - 1) - row_price_[from] - column_price_[c];
        if (reduced < slack[c]) slack[c] = reduced, before[c] = column;
        if (next == 0 || slack[c] < slack[next]) next = c;
      }
      const std::int64_t step = slack[next];
      for (std::size_t c = 0; c < end; ++c)
        if (reached[c])
          row_price_[row_of_[c]] += step, column_price_[c] -= step;
        else
          slack[c] -= step;
      column = next;
    } while (row_of_[column] != 0);
    for (; column != 0; column = before[column]) row_of_[column] = row_of_[before[column]];
  }

  const Traffic& traffic_;
  std::vector<std::int64_t> row_price_, column_price_;
  std::vector<std::size_t> row_of_;  // of each column; 0: none
};

// Pairs neighbours of a cycle: of all ways to pair them from one vertex on, the way with the most traffic.
void pair_along(const std::vector<std::size_t>& cycle, const Traffic& traffic, std::vector<std::int32_t>& partner) {
  const std::size_t size = cycle.size();
  const auto each_pair = [&](std::size_t start, const auto& take) {
    for (std::size_t k = 0; k + 1 < size; k += 2) take(cycle[(start + k) % size], cycle[(start + k + 1) % size]);
  };
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t start = 0; start < size; ++start) {
    std::int64_t sum = 0;
    each_pair(start, [&](std::size_t a, std::size_t b) { sum += traffic.between(a, b); });
    if (sum > most) most = sum, best = start;
  }
  each_pair(best, [&](std::size_t a, std::size_t b) {
    if (traffic.between(a, b) == 0) return;
    partner[a] = static_cast<std::int32_t>(b);
    partner[b] = static_cast<std::int32_t>(a);
  });
}

}  // namespace

std::vector<std::int32_t> paired_by_assignment(const mapping::Graph& graph) {
  if (graph.vertices() > most_assigned)
    throw Error("MATCHING-PAPER takes at most " + std::to_string(most_assigned) + " ranks, not " +
                std::to_string(graph.vertices()) + ": MATCHING takes more");
  std::vector<std::int32_t> partner(static_cast<std::size_t>(graph.vertices()), -1);
  if (graph.vertices() < 2) return partner;
  const Traffic traffic(graph);
  const std::vector<std::size_t> assigned = Assignment(traffic).assigned();
  std::vector<bool> seen(assigned.size(), false);
  for (std::size_t v = 0; v < assigned.size(); ++v) {
    std::vector<std::size_t> cycle;
    for (std::size_t at = v; !seen[at]; at = assigned[at]) {
      seen[at] = true;
      cycle.push_back(at);
    }
    pair_along(cycle, traffic, partner);
  }
  for (const mapping::HeavyPair& pair : mapping::pairs_by_weight(graph, mapping::WorkBudget()))
    if (partner[pair.a] < 0 && partner[pair.b] < 0) partner[pair.a] = pair.b, partner[pair.b] = pair.a;
  return partner;
}

}  // namespace placement::treematch

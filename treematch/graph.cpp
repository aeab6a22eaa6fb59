// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/graph.hpp"

#include <algorithm>

namespace placement {

namespace {

constexpr std::int64_t most = INT32_MAX;

// A function of one weight, the same in both directions of a pair.
std::int32_t scaled(std::int64_t weight, double factor, std::int64_t least) {
  if (factor >= 1.0) return static_cast<std::int32_t>(weight);
  return static_cast<std::int32_t>(
      std::max(least, static_cast<std::int64_t>(static_cast<double>(weight) * factor)));
}

}  // namespace

Graph scaled_graph(const CommMatrix& matrix) {
  const std::int32_t n = matrix.ranks();
  // With a floor of 1 per pair the pairs themselves take part of the range.
  const std::int64_t least = matrix.pairs() < most / 2 ? 1 : 0;
  const double room = static_cast<double>(most - least * matrix.pairs() - 1);
  const double factor =
      matrix.total_weight() <= most ? 1.0 : room / static_cast<double>(matrix.total_weight());
  Graph graph;
  graph.row.assign(static_cast<std::size_t>(n) + 1, 0);
  graph.size.assign(n, 1);
  graph.arc.resize(2 * static_cast<std::size_t>(matrix.pairs()));
  std::int64_t at = 0;
  for (std::int32_t v = 0; v < n; ++v) {
    const auto neighbours = matrix.neighbours(v);
    const auto weights = matrix.weights(v);
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      graph.arc[at++] = {neighbours[k], scaled(weights[k], factor, least)};
    graph.row[v + 1] = at;
  }
  return graph;
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/graph.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/util/random.hpp"

namespace placement::mapping {

namespace {

constexpr std::int64_t most = INT32_MAX;

// Returns the scaled weight, at least `least`. It depends on the weight alone, so that both directions of a pair agree.
std::int32_t scaled(std::int64_t weight, double factor, std::int64_t least) {
  if (factor >= 1.0) return static_cast<std::int32_t>(weight);
  return static_cast<std::int32_t>(std::max(least, static_cast<std::int64_t>(static_cast<double>(weight) * factor)));
}

// Sorts pairs by falling weight with a stable radix sort: one pass for each `digit` bits of the heaviest weight.
void sort_heaviest_first(std::vector<HeavyPair>& pairs, std::int32_t heaviest, const WorkBudget& watch) {
  constexpr int digit = 11;
  constexpr std::int32_t mask = (1 << digit) - 1;
  std::vector<HeavyPair> sorted(pairs.size());
  for (int shift = 0; shift < 31 && heaviest >> shift > 0; shift += digit) {
    watch.spend(2 * std::ssize(pairs));
    std::vector<std::size_t> place(mask + 1, 0);
    for (const HeavyPair& pair : pairs) ++place[pair.weight >> shift & mask];
    std::size_t next = 0;
    for (std::int32_t value = mask; value >= 0; --value) next += std::exchange(place[value], next);
    for (const HeavyPair& pair : pairs) sorted[place[pair.weight >> shift & mask]++] = pair;
    pairs.swap(sorted);
  }
}

}  // namespace

Graph scaled_graph(const CommMatrix& matrix, const WorkBudget& watch) {
  const std::int32_t n = matrix.ranks();
  // Rounding up to 1 may add 1 per pair, so the number of pairs is subtracted from the range.
  const std::int64_t least = matrix.pairs() < most / 2 ? 1 : 0;
  const double room = static_cast<double>(most - least * matrix.pairs() - 1);
  const double factor = matrix.total_weight() <= most ? 1.0 : room / static_cast<double>(matrix.total_weight());
  Graph graph;
  graph.row.assign(static_cast<std::size_t>(n) + 1, 0);
  graph.size.assign(n, 1);
  graph.arc.resize(2 * matrix.pairs());
  std::int64_t at = 0;
  for (std::int32_t v = 0; v < n; ++v) {
    const auto neighbours = matrix.neighbours(v);
    const auto weights = matrix.weights(v);
    watch.spend(std::ssize(neighbours) + 1);
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      graph.arc[at++] = {neighbours[k], scaled(weights[k], factor, least)};
    graph.row[v + 1] = at;
  }
  return graph;
}

std::vector<HeavyPair> pairs_by_weight(const Graph& graph, const WorkBudget& watch) {
  std::vector<HeavyPair> pairs;
  pairs.reserve(graph.arc.size() / 2);
  bool in_order = true;
  std::int32_t heaviest = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    watch.spend(std::ssize(graph.arcs(v)) + 1);
    for (const Arc& arc : graph.arcs(v)) {
      if (arc.to <= v) continue;
      in_order = in_order && (pairs.empty() || arc.weight <= pairs.back().weight);
      heaviest = std::max(heaviest, arc.weight);
      pairs.push_back({arc.weight, v, arc.to});
    }
  }
  if (!in_order) sort_heaviest_first(pairs, heaviest, watch);
  return pairs;
}

Graph renumbered(const Graph& graph, std::span<const std::int32_t> order, const WorkBudget& watch) {
  std::vector<std::int32_t> number(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = static_cast<std::int32_t>(k);
  Graph result;
  result.row.reserve(order.size() + 1);
  result.size.reserve(order.size());
  result.arc.reserve(graph.arc.size());
  for (const std::int32_t old : order) {
    watch.spend(std::ssize(graph.arcs(old)) + 1);
    for (const Arc& arc : graph.arcs(old)) result.arc.push_back({number[arc.to], arc.weight});
    result.row.push_back(std::ssize(result.arc));
    result.size.push_back(graph.size[old]);
  }
  return result;
}

std::vector<std::int32_t> breadth_first(const Graph& graph, const WorkBudget& watch) {
  const std::int32_t n = graph.vertices();
  std::vector<std::int32_t> order;
  order.reserve(n);
  std::vector<bool> seen(n, false);
  const auto add = [&](std::int32_t v) {
    if (seen[v]) return;
    seen[v] = true;
    order.push_back(v);
  };
  for (std::int32_t start = 0; start < n; ++start) {
    add(start);
    for (std::size_t head = order.size() - 1; head < order.size(); ++head) {
      watch.spend(std::ssize(graph.arcs(order[head])) + 1);
      for (const Arc& arc : graph.arcs(order[head])) add(arc.to);
    }
  }
  return order;
}

CommMatrix sparsified(const CommMatrix& matrix, std::int32_t pairs_per_rank, std::uint64_t seed,
                      const WorkBudget& watch) {
  const std::int64_t most_pairs = std::int64_t{matrix.ranks()} * pairs_per_rank;
  // Rounded up: a smaller threshold would keep more pairs than the limit.
  const std::int64_t limit = std::max<std::int64_t>(1, most_pairs);
  const std::int64_t least =
      std::max<std::int64_t>(1, matrix.total_weight() / limit + (matrix.total_weight() % limit != 0));
  // The sampled weights may sum to more than all weights, but a matrix holds less than 2^63.
  const int shift = matrix.total_weight() >> 61 > 0 ? 2 : 0;
  const auto scaled = [shift](std::int64_t weight) { return std::max<std::int64_t>(1, weight >> shift); };
  std::vector<CommEdge> kept;
  kept.reserve(std::min(matrix.pairs(), most_pairs + matrix.ranks()));
  Random random(seed);
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto neighbours = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    watch.spend(std::ssize(neighbours) + 1);
    auto sum = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(least));
    const auto first = std::upper_bound(neighbours.begin(), neighbours.end(), rank) - neighbours.begin();
    for (std::size_t k = static_cast<std::size_t>(first); k < neighbours.size(); ++k) {
      if (weights[k] >= least) {
        kept.push_back({rank, neighbours[k], scaled(weights[k])});
      } else if ((sum += weights[k]) >= least) {
        sum -= least;
        kept.push_back({rank, neighbours[k], scaled(least)});
      }
    }
  }
  return CommMatrix::from_edges(matrix.ranks(), std::move(kept));
}

}  // namespace placement::mapping

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/coarsen.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace placement {

namespace {

constexpr std::int32_t unmatched = -1;

constexpr std::int32_t window = 128;

void shuffle(std::span<std::int32_t> values, Random& random) {
  for (auto k = static_cast<std::int32_t>(values.size()) - 1; k > 0; --k)
    std::swap(values[k], values[random.below(k + 1)]);
}

// All vertices in a random order that stays in one part of the memory for a while: windows in
// random order, each shuffled.
std::vector<std::int32_t> shuffled_vertices(std::int32_t n, Random& random) {
  std::vector<std::int32_t> windows((n + window - 1) / window);
  std::iota(windows.begin(), windows.end(), 0);
  shuffle(windows, random);
  std::vector<std::int32_t> order;
  order.reserve(n);
  for (const std::int32_t w : windows) {
    const std::size_t begin = order.size();
    for (std::int32_t v = w * window; v < std::min(n, (w + 1) * window); ++v) order.push_back(v);
    shuffle(std::span(order).subspan(begin), random);
  }
  return order;
}

// The partner of each vertex, or itself.
std::vector<std::int32_t> matched(const Graph& graph, std::int32_t largest, Random& random) {
  std::vector<std::int32_t> partner(graph.vertices(), unmatched);
  std::int32_t lonely = unmatched;  // without any arc: merged among themselves
  for (const std::int32_t v : shuffled_vertices(graph.vertices(), random)) {
    if (partner[v] != unmatched) continue;
    std::int32_t best = v;
    float rating = 0;
    for (const Arc& arc : graph.arcs(v)) {
      if (partner[arc.to] != unmatched || graph.size[v] + graph.size[arc.to] > largest) continue;
      const auto weight = static_cast<float>(arc.weight);
      const float found = weight * weight / static_cast<float>(graph.size[arc.to]);
      if (found > rating) {
        rating = found;
        best = arc.to;
      }
    }
    if (graph.arcs(v).empty()) {
      if (lonely != unmatched && partner[lonely] == unmatched &&
          graph.size[v] + graph.size[lonely] <= largest)
        best = lonely;
      else
        lonely = v;
      if (best == v) continue;
    }
    partner[v] = best;
    partner[best] = v;
  }
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    if (partner[v] == unmatched) partner[v] = v;
  return partner;
}

}  // namespace

Graph coarsened(const Graph& graph, std::int32_t largest, Random& random,
                std::vector<std::int32_t>& coarse_of) {
  const std::vector<std::int32_t> partner = matched(graph, largest, random);
  Graph coarse;
  coarse_of.resize(graph.vertices());
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    if (partner[v] < v) {
      coarse_of[v] = coarse_of[partner[v]];
      coarse.size[coarse_of[v]] += graph.size[v];
    } else {
      coarse_of[v] = static_cast<std::int32_t>(coarse.size.size());
      coarse.size.push_back(graph.size[v]);
    }
  }
  coarse.row.reserve(coarse.size.size() + 1);
  coarse.arc.resize(graph.arc.size());
  std::vector<std::int64_t> place(coarse.size.size(), -1);  // of the arc to a coarse vertex
  std::int64_t end = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    if (partner[v] < v) continue;
    const std::int64_t begin = end;
    const std::int32_t self = coarse_of[v];
    const auto add_arcs = [&](std::int32_t u) {
      for (const Arc& arc : graph.arcs(u)) {
        const std::int32_t to = coarse_of[arc.to];
        if (to == self) continue;
        if (place[to] >= begin) {
          coarse.arc[place[to]].weight += arc.weight;
        } else {
          place[to] = end;
          coarse.arc[end++] = {to, arc.weight};
        }
      }
    };
    add_arcs(v);
    if (partner[v] != v) add_arcs(partner[v]);
    coarse.row.push_back(end);
  }
  coarse.arc.resize(end);
  return coarse;
}

}  // namespace placement

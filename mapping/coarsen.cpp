// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/coarsen.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

constexpr std::int32_t unmatched = -1;

// Returns all vertices in a random order that suits the cache: windows of shuffle_window vertices in random order, each
// shuffled.
std::vector<std::int32_t> shuffled_vertices(std::int32_t n, Random& random) {
  std::vector<std::int32_t> windows((n + shuffle_window - 1) / shuffle_window);
  std::iota(windows.begin(), windows.end(), 0);
  random.shuffle(windows);
  std::vector<std::int32_t> order;
  order.reserve(n);
  for (const std::int32_t w : windows) {
    const std::size_t begin = order.size();
    for (std::int32_t v = w * shuffle_window; v < std::min(n, (w + 1) * shuffle_window); ++v) order.push_back(v);
    random.shuffle(std::span(order).subspan(begin));
  }
  return order;
}

// Returns the neighbour to merge with v, or v itself. `unit_sizes`: all vertices have size 1 and `largest` is at least
// 2, so sizes need no check.
template <bool unit_sizes>
std::int32_t best_partner(const Graph& graph, std::int32_t v, std::int32_t largest, const std::int32_t* partner) {
  std::int32_t best = v;
  float rating = 0;
  const std::int32_t room = largest - graph.size[v];
  for (const Arc& arc : graph.arcs(v)) {
    if (partner[arc.to] != unmatched || (!unit_sizes && graph.size[arc.to] > room)) continue;
    const auto weight = static_cast<float>(arc.weight);
    const float found = unit_sizes ? weight * weight : weight * weight / static_cast<float>(graph.size[arc.to]);
    if (found > rating) {
      rating = found;
      best = arc.to;
    }
  }
  return best;
}

// Returns the partner of each vertex; the vertex itself if it has none.
std::vector<std::int32_t> matched(const Graph& graph, std::int32_t largest, Random& random, const WorkBudget& watch) {
  std::vector<std::int32_t> partner(graph.vertices(), unmatched);
  std::int32_t lonely = unmatched;  // the last vertex without arcs; these vertices are merged with each other
  const bool unit_sizes =
      largest >= 2 && std::all_of(graph.size.begin(), graph.size.end(), [](std::int32_t size) { return size == 1; });
  for (const std::int32_t v : shuffled_vertices(graph.vertices(), random)) {
    watch.spend(1);
    if (partner[v] != unmatched) continue;
    watch.spend(static_cast<std::int64_t>(graph.arcs(v).size()));
    std::int32_t best = unit_sizes ? best_partner<true>(graph, v, largest, partner.data())
                                   : best_partner<false>(graph, v, largest, partner.data());
    if (graph.arcs(v).empty()) {
      if (lonely != unmatched && partner[lonely] == unmatched && graph.size[v] + graph.size[lonely] <= largest)
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

// Collects the arcs of one part after the other. Adds up the arcs from one part to another into one arc.
class ArcCollector {
 public:
  ArcCollector(std::int32_t parts, std::size_t most_arcs) : place_(parts, -1), arc_(most_arcs) {}

  void add(std::span<const Arc> arcs, std::int32_t self, const std::int32_t* part_of) {
    Arc* const out = arc_.data();
    for (const Arc& arc : arcs) {
      const std::int32_t to = part_of[arc.to];
      if (to == self || to < 0) continue;
      if (place_[to] >= first_) {
        out[place_[to]].weight += arc.weight;
      } else {
        place_[to] = next_;
        out[next_++] = {to, arc.weight};
      }
    }
  }

  void end_part(Graph& graph) {
    graph.row.push_back(next_);
    first_ = next_;
  }

  std::vector<Arc> arcs() const { return {arc_.begin(), arc_.begin() + next_}; }

 private:
  std::vector<std::int64_t> place_;  // for each part: index in arc_ of the last arc to it
  std::vector<Arc> arc_;
  std::int64_t next_ = 0;
  std::int64_t first_ = 0;  // index in arc_ of the first arc of the current part
};

}  // namespace

Graph contracted(const Graph& graph, std::span<const std::int32_t> part_of, std::int32_t parts,
                 const WorkBudget& watch) {
  Graph result;
  result.size.assign(parts, 0);
  std::vector<std::int32_t> begin(static_cast<std::size_t>(parts) + 1, 0);
  for (const std::int32_t part : part_of)
    if (part >= 0) ++begin[part + 1];
  for (std::int32_t part = 0; part < parts; ++part) begin[part + 1] += begin[part];
  std::vector<std::int32_t> member(begin[parts]);
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    if (part_of[v] < 0) continue;
    result.size[part_of[v]] += graph.size[v];
    member[begin[part_of[v]]++] = v;  // in the end, begin[part] is the end of that part's members
  }
  ArcCollector arcs(parts, graph.arc.size());
  result.row.reserve(begin.size());
  for (std::int32_t self = 0; self < parts; ++self) {
    for (std::int32_t k = self == 0 ? 0 : begin[self - 1]; k < begin[self]; ++k) {
      watch.spend(static_cast<std::int64_t>(graph.arcs(member[k]).size()) + 1);
      arcs.add(graph.arcs(member[k]), self, part_of.data());
    }
    arcs.end_part(result);
  }
  result.arc = arcs.arcs();
  return result;
}

Graph coarsened(const Graph& graph, std::int32_t largest, Random& random, std::vector<std::int32_t>& coarse_of,
                const WorkBudget& watch) {
  const std::vector<std::int32_t> partner = matched(graph, largest, random, watch);
  std::int32_t vertices = 0;
  coarse_of.resize(graph.vertices());
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    coarse_of[v] = partner[v] < v ? coarse_of[partner[v]] : vertices++;
  Graph result;
  result.size.reserve(vertices);
  result.row.reserve(static_cast<std::size_t>(vertices) + 1);
  ArcCollector arcs(vertices, graph.arc.size());
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    const std::int32_t other = partner[v];
    if (other < v) continue;
    watch.spend(static_cast<std::int64_t>(graph.arcs(v).size() + graph.arcs(other).size()) + 1);
    arcs.add(graph.arcs(v), coarse_of[v], coarse_of.data());
    if (other != v) arcs.add(graph.arcs(other), coarse_of[v], coarse_of.data());
    result.size.push_back(other == v ? graph.size[v] : graph.size[v] + graph.size[other]);
    arcs.end_part(result);
  }
  result.arc = arcs.arcs();
  return result;
}

}  // namespace placement::mapping

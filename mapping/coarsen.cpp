// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/coarsen.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "common/util/sequence.hpp"
#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

constexpr std::int32_t unmatched = -1;

// Returns all vertices in a random order that suits the cache: windows of shuffle_window vertices in random order, each
// shuffled.
std::vector<std::int32_t> shuffled_vertices(std::int32_t n, Random& random) {
  std::vector<std::int32_t> windows = numbers((n + shuffle_window - 1) / shuffle_window);
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

// Returns the neighbour to merge with v, or v itself.
std::int32_t best_partner(const Graph& graph, std::int32_t v, std::int32_t largest, const std::int32_t* partner) {
  std::int32_t best = v;
  float rating = 0;
  const std::int32_t room = largest - graph.size[v];
  for (const Arc& arc : graph.arcs(v)) {
    if (partner[arc.to] != unmatched || graph.size[arc.to] > room) continue;
    const auto weight = static_cast<float>(arc.weight);
    const float found = weight * weight / static_cast<float>(graph.size[arc.to]);
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
  for (const std::int32_t v : shuffled_vertices(graph.vertices(), random)) {
    watch.spend(1);
    if (partner[v] != unmatched) continue;
    watch.spend(std::ssize(graph.arcs(v)));
    std::int32_t best = best_partner(graph, v, largest, partner.data());
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
  // The arcs of each part follow those of the part before it. Arcs from one part to another are added up into one.
  std::vector<std::int64_t> place(parts, -1);  // for each part: index of the last arc to it
  std::int64_t next = 0;
  result.arc.resize(graph.arc.size());
  result.row.reserve(begin.size());
  for (std::int32_t self = 0; self < parts; ++self) {
    const std::int64_t first = next;
    for (std::int32_t k = self == 0 ? 0 : begin[self - 1]; k < begin[self]; ++k) {
      watch.spend(std::ssize(graph.arcs(member[k])) + 1);
      for (const Arc& arc : graph.arcs(member[k])) {
        const std::int32_t to = part_of[arc.to];
        if (to == self || to < 0) continue;
        if (place[to] < first) {
          place[to] = next;
          result.arc[next++] = {to, 0};
        }
        result.arc[place[to]].weight += arc.weight;
      }
    }
    result.row.push_back(next);
  }
  result.arc.resize(next);
  result.arc.shrink_to_fit();
  return result;
}

Graph coarsened(const Graph& graph, std::int32_t largest, Random& random, std::vector<std::int32_t>& coarse_of,
                const WorkBudget& watch) {
  const std::vector<std::int32_t> partner = matched(graph, largest, random, watch);
  std::int32_t vertices = 0;
  coarse_of.resize(graph.vertices());
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    coarse_of[v] = partner[v] < v ? coarse_of[partner[v]] : vertices++;
    if (partner[v] >= v)
      watch.spend(static_cast<std::int64_t>(graph.arcs(v).size() + graph.arcs(partner[v]).size()) + 1);
  }
  watch.look();
  return contracted(graph, coarse_of, vertices);  // its work is reported above
}

}  // namespace placement::mapping

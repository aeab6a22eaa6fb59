// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "common/util/error.hpp"
#include "config.h"
#include "mapping/assignment.hpp"
#include "mapping/tuning.hpp"
#include "treematch/grouping.hpp"
#ifdef HAVE_LEMON
#include <lemon/matching.h>
#include <lemon/smart_graph.h>

namespace lemon {

// The default map of LEMON 1.3 for classes and enumerations does not compile in C++20, because it calls members that
// std::allocator no longer has. This specialization uses LEMON's vector map.
template <typename Item, typename Value>
requires(std::is_class_v<Value> ||
         std::is_enum_v<Value>) struct DefaultMapSelector<GraphExtender<SmartGraphBase>, Item, Value> {
  typedef VectorMap<GraphExtender<SmartGraphBase>, Item, Value> Map;
};

}  // namespace lemon
#endif

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

// Pairs the vertices without a partner by falling traffic.
std::vector<std::int32_t> heaviest_first(const mapping::Graph& graph, std::vector<std::int32_t> partner) {
  for (const mapping::HeavyPair& pair : mapping::pairs_by_weight(graph)) {
    if (partner[pair.a] >= 0 || partner[pair.b] >= 0) continue;
    partner[pair.a] = pair.b;
    partner[pair.b] = pair.a;
  }
  return partner;
}

// Pairs neighbours of a cycle. The pairs start at the vertex that gives them the most traffic.
template <typename Traffic>
void pair_along(const std::vector<std::int32_t>& cycle, Traffic traffic, std::vector<std::int32_t>& partner) {
  const std::size_t size = cycle.size();
  const auto each_pair = [&](std::size_t start, const auto& take) {
    for (std::size_t k = 0; k + 1 < size; k += 2) take(cycle[(start + k) % size], cycle[(start + k + 1) % size]);
  };
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t start = 0; start < size; ++start) {
    std::int64_t sum = 0;
    each_pair(start, [&](std::int32_t a, std::int32_t b) { sum += traffic(a, b); });
    if (sum > most) most = sum, best = start;
  }
  each_pair(best, [&](std::int32_t a, std::int32_t b) {
    if (traffic(a, b) > 0) partner[a] = b, partner[b] = a;
  });
}

// Assigns another vertex to each vertex, with the largest sum of traffic. The paper assumes that two vertices are
// assigned to each other. Other assignments form cycles, which are cut into the pairs with the most traffic.
std::vector<std::int32_t> by_assignment(const mapping::Graph& graph) {
  if (graph.vertices() > most_ranks_assigned)
    throw Error("MATCHING-PAPER accepts at most " + std::to_string(most_ranks_assigned) + " ranks, not " +
                std::to_string(graph.vertices()) + ": use MATCHING");
  const auto n = static_cast<std::size_t>(graph.vertices());
  std::int64_t heaviest = 0;
  for (const mapping::Arc& arc : graph.arc) heaviest = std::max<std::int64_t>(heaviest, arc.weight);
  std::vector<std::int64_t> cost(n * n, heaviest);  // so high that no vertex is assigned to itself
  for (std::size_t v = 0; v < n; ++v) {
    cost[v * n + v] = (heaviest + 1) * static_cast<std::int64_t>(n);
    for (const mapping::Arc& arc : graph.arcs(static_cast<std::int32_t>(v)))
      cost[v * n + arc.to] = heaviest - arc.weight;
  }
  const std::vector<std::int32_t> assigned = mapping::least_cost_assignment(cost, n, n);
  const auto traffic = [&](std::int32_t a, std::int32_t b) {
    return heaviest - cost[static_cast<std::size_t>(a) * n + b];
  };
  std::vector<std::int32_t> partner(n, -1);
  std::vector<bool> seen(n, false);
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    std::vector<std::int32_t> cycle;
    for (std::int32_t at = v; !seen[at]; at = assigned[at]) {
      seen[at] = true;
      cycle.push_back(at);
    }
    pair_along(cycle, traffic, partner);
  }
  return heaviest_first(graph, std::move(partner));
}

#ifdef HAVE_LEMON
std::vector<std::int32_t> maximum_weight(const mapping::Graph& graph) {
  const std::int32_t n = graph.vertices();
  lemon::SmartGraph lemon_graph;
  lemon_graph.reserveNode(n);
  lemon_graph.reserveEdge(static_cast<int>(graph.arc.size() / 2));
  for (std::int32_t v = 0; v < n; ++v) lemon_graph.addNode();
  lemon::SmartGraph::EdgeMap<std::int64_t> weight(lemon_graph);
  for (std::int32_t v = 0; v < n; ++v)
    for (const mapping::Arc& arc : graph.arcs(v))
      if (arc.to > v)
        weight[lemon_graph.addEdge(lemon_graph.nodeFromId(v), lemon_graph.nodeFromId(arc.to))] = arc.weight;
  lemon::MaxWeightedMatching<lemon::SmartGraph, lemon::SmartGraph::EdgeMap<std::int64_t>> matching(lemon_graph, weight);
  matching.run();
  std::vector<std::int32_t> partner(n, -1);
  for (std::int32_t v = 0; v < n; ++v)
    if (const auto mate = matching.mate(lemon_graph.nodeFromId(v)); mate != lemon::INVALID)
      partner[v] = lemon_graph.id(mate);
  return partner;
}
#else
std::vector<std::int32_t> maximum_weight(const mapping::Graph&) {
  throw Error("this build has no policy MATCHING, because configure found no LEMON: use TREEMATCH");
}
#endif

}  // namespace

std::vector<std::int32_t> paired(const mapping::Graph& graph, Pairing pairing) {
  switch (pairing) {
    case Pairing::maximum_weight: return maximum_weight(graph);
    case Pairing::assignment: return by_assignment(graph);
    case Pairing::heaviest_first: break;
  }
  return heaviest_first(graph, std::vector<std::int32_t>(graph.vertices(), -1));
}

}  // namespace placement::treematch

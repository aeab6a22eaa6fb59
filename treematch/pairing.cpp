// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/pairing.hpp"

#include <lemon/matching.h>
#include <lemon/smart_graph.h>

#include <type_traits>

#include "treematch/assignment.hpp"

namespace lemon {

// LEMON 1.3 has no map for classes and enumerations that compiles in C++20: its default one calls members which
// std::allocator no longer has. LEMON's vector map takes its place here.
template <typename Item, typename Value>
requires(std::is_class_v<Value> ||
         std::is_enum_v<Value>) struct DefaultMapSelector<GraphExtender<SmartGraphBase>, Item, Value> {
  typedef VectorMap<GraphExtender<SmartGraphBase>, Item, Value> Map;
};

}  // namespace lemon

namespace placement::treematch {

namespace {

std::vector<std::int32_t> heaviest_first(const mapping::Graph& graph, const mapping::WorkBudget& watch) {
  std::vector<std::int32_t> partner(graph.vertices(), -1);
  for (const mapping::HeavyPair& pair : mapping::pairs_by_weight(graph, watch)) {
    watch.spend(1);
    if (partner[pair.a] >= 0 || partner[pair.b] >= 0) continue;
    partner[pair.a] = pair.b;
    partner[pair.b] = pair.a;
  }
  return partner;
}

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

}  // namespace

std::vector<std::int32_t> paired(const mapping::Graph& graph, Pairing pairing, const mapping::WorkBudget& watch) {
  if (pairing == Pairing::assignment) return paired_by_assignment(graph);
  return pairing == Pairing::maximum_weight ? maximum_weight(graph) : heaviest_first(graph, watch);
}

}  // namespace placement::treematch

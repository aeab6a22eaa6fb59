// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/bisection.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mapping/coarsen.hpp"
#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

std::vector<std::int8_t> Bisection::split(const Graph& graph, std::int32_t least, std::int32_t most,
                                          BisectionsFound& found) {
  const std::int32_t n = graph.vertices();
  const std::int32_t first = least + (most - least) / 2;
  freedom_ = (most - least) / 2;
  if (most <= 0) return std::vector<std::int8_t>(n, 1);
  if (least >= n) return std::vector<std::int8_t>(n, 0);
  const std::int32_t largest = std::max(2, n / 20);
  Sides best = tried(graph, first, largest, found);
  const std::int32_t tries = n < small_graph ? tries_.of_small : tries_.of_large;
  std::int32_t as_good = 1;
  try {
    for (std::int32_t k = 1; k < tries && best.cut > 0 && as_good < convincing_tries; ++k) {
      Sides other = tried(graph, first, largest, found);
      if (other.cut == best.cut) ++as_good;
      if (other.cut >= best.cut) continue;
      best = std::move(other);
      as_good = 1;
    }
  } catch (const OutOfTime&) {
  }
  return std::move(best.side);
}

// Returns the result of a try; reuses the result of an earlier equal try.
Sides Bisection::tried(const Graph& graph, std::int32_t first, std::int32_t largest, BisectionsFound& found) {
  if (graph.vertices() > coarsest_graph) return multilevel(graph, first, largest);
  Random after = random_;
  const std::int32_t start = after.below(graph.vertices());
  for (const BisectionsFound::Try& before : found.tries) {
    if (before.start != start) continue;
    random_ = after;
    watch_.spend(before.spent);
    return before.sides;
  }
  const std::int64_t spent = watch_.spent();
  Sides sides = multilevel(graph, first, largest);
  if (random_ == after)  // with several components, a try makes more random choices
    found.tries.push_back({start, sides, watch_.spent() - spent});
  return sides;
}

Sides Bisection::multilevel(const Graph& graph, std::int32_t first, std::int32_t largest) {
  if (graph.vertices() <= coarsest_graph) return refined(graph, first, grown(graph, first));
  std::vector<std::int32_t> coarse_of;
  const Graph coarse = coarsened(graph, largest, random_, coarse_of, watch_);
  if (coarse.vertices() > graph.vertices() / 20 * 19) return refined(graph, first, grown(graph, first));
  const Sides best = multilevel(coarse, first, largest);
  std::vector<std::int8_t> side(graph.vertices());
  for (std::int32_t v = 0; v < graph.vertices(); ++v) side[v] = best.side[coarse_of[v]];
  return refined(graph, first, std::move(side));
}

Sides Bisection::refined(const Graph& graph, std::int32_t first, std::vector<std::int8_t> side) {
  const std::int32_t slack = *std::max_element(graph.size.begin(), graph.size.end()) - 1 + freedom_;
  Sides result{std::move(side), 0};
  result.cut = refiner_.refine(graph, first, slack, refinement_passes, result.side, watch_);
  return result;
}

// Returns a split whose side 0 has grown from a random vertex to about the size `first`. Each step adds the neighbour
// that raises the cut least.
std::vector<std::int8_t> Bisection::grown(const Graph& graph, std::int32_t first) {
  const std::int32_t n = graph.vertices();
  std::vector<std::int8_t> side(n, 1);
  std::vector<std::int64_t> gain(n, 0);  // traffic into side 0 minus traffic into side 1
  for (std::int32_t v = 0; v < n; ++v) {
    watch_.spend(std::ssize(graph.arcs(v)) + 1);
    for (const Arc& arc : graph.arcs(v)) gain[v] -= arc.weight;
  }
  std::vector<std::int32_t> fringe;
  std::vector<bool> reached(n, false);
  for (std::int32_t size = 0; size < first;) {
    watch_.spend(std::ssize(fringe) + 1);
    std::size_t at = 0;
    for (std::size_t k = 1; k < fringe.size(); ++k)
      if (gain[fringe[k]] > gain[fringe[at]]) at = k;
    std::int32_t best;
    if (fringe.empty()) {
      best = random_.below(n);
      while (side[best] == 0) best = best + 1 < n ? best + 1 : 0;
      reached[best] = true;
    } else {
      best = fringe[at];
      fringe[at] = fringe.back();
      fringe.pop_back();
    }
    // The last vertex joins only if the size of side 0 is then no farther from `first` than before.
    if (size > 0 && size + graph.size[best] - first > first - size) break;
    side[best] = 0;
    size += graph.size[best];
    watch_.spend(std::ssize(graph.arcs(best)));
    for (const Arc& arc : graph.arcs(best)) {
      gain[arc.to] += 2 * static_cast<std::int64_t>(arc.weight);
      if (side[arc.to] == 0 || reached[arc.to]) continue;
      reached[arc.to] = true;
      fringe.push_back(arc.to);
    }
  }
  return side;
}

}  // namespace placement::mapping

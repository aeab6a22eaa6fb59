// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/rank_units.hpp"

#include <algorithm>
#include <utility>

#include "mapping/tuning.hpp"
#include "treematch/graph_growing.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

std::optional<RankUnits> joined_to_units(const CommMatrix& matrix, const mapping::Graph& graph, std::int32_t size,
                                         const mapping::WorkBudget& watch) {
  FrontGroups groups = front_groups(graph, size, watch);
  if (fit_of(graph, groups, watch) < least_fit_of_rank_units) return std::nullopt;
  watch.spend(4 * matrix.pairs());
  CommMatrix traffic = matrix.aggregated(groups.group, groups.groups);
  if (traffic.pairs() == 0) return std::nullopt;
  return RankUnits{size, std::move(groups.group), std::move(traffic)};
}

std::vector<std::int32_t> places_of_units(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                          std::int32_t size) {
  std::vector<std::int32_t> places;
  const auto above = [&](std::size_t k) { return tree.parent(tree.leaf_vertex(usable[k])); };
  std::size_t first = 0;  // the leaves of a place lie from here on
  for (std::size_t k = 0; k < usable.size(); ++k) {
    if (above(k) != above(first)) first = k;
    if (k + 1 - first < static_cast<std::size_t>(size)) continue;
    places.push_back(usable[first]);
    first = k + 1 < usable.size() ? k + 1 : first;
  }
  return places;
}

std::vector<std::int32_t> leaves_of_ranks(const RankUnits& units, std::span<const std::int32_t> usable,
                                          std::span<const std::int32_t> place_of_unit) {
  std::vector<std::size_t> next;
  for (const std::int32_t leaf : place_of_unit)
    next.push_back(static_cast<std::size_t>(std::lower_bound(usable.begin(), usable.end(), leaf) - usable.begin()));
  std::vector<std::int32_t> leaf_of_rank;
  leaf_of_rank.reserve(units.unit_of.size());
  for (const std::int32_t unit : units.unit_of) leaf_of_rank.push_back(usable[next[unit]++]);
  return leaf_of_rank;
}

}  // namespace placement::treematch

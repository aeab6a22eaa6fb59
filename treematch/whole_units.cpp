// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/whole_units.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/refine.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/leaf_sets.hpp"
#include "treematch/level_search.hpp"
#include "treematch/rank_units.hpp"

namespace placement::treematch {

namespace {

constexpr std::int32_t unit_size = 8;
constexpr std::int32_t most_ranks = 16384;
constexpr std::int64_t most_pairs_per_rank = 32;
constexpr std::int32_t few_units = 256;      // up to this number a search takes more work than above it, and gets less
constexpr std::int32_t part_of_effort = 10;  // for few units: a tenth
constexpr std::int64_t work_of_refining = 100;  // for each rank

// Whether the vertices just above the usable leaves have unequal numbers of them. One may be different, which
// join_to_units() admits as well.
bool uneven(const TreeTopology& tree, std::span<const std::int32_t> usable) {
  std::vector<std::size_t> sizes;
  for (std::size_t begin = 0, end = 0; begin < usable.size(); begin = end) {
    const std::int32_t above = tree.parent(tree.leaf_vertex(usable[begin]));
    while (end < usable.size() && tree.parent(tree.leaf_vertex(usable[end])) == above) ++end;
    sizes.push_back(end - begin);
  }
  return std::ranges::count(sizes, std::ranges::max(sizes)) + 1 < std::ssize(sizes);
}

// Returns the subtree that the scope admits and that has all these leaves below it, or -1. The leaves are ascending.
std::int32_t top_in_scope(const TreeTopology& tree, std::span<const std::int32_t> usable,
                          std::span<const std::int32_t> leaves, const MapOptions& options) {
  if (options.scope == LeafScope::whole) return 0;
  const auto ranks = static_cast<std::int32_t>(leaves.size());
  for (const std::int32_t top : ancestors(tree, lowest_subtrees(tree, usable, ranks), options.levels_up))
    if (all_below(tree, leaves, top)) return top;
  return -1;
}

// Maps the units to places as if they were ranks. Returns the leaf of each rank.
std::vector<std::int32_t> mapped_units(const RankUnits& units, const TreeTopology& tree,
                                       std::span<const std::int32_t> usable, std::span<const std::int32_t> places,
                                       MapOptions options, std::int64_t& work) {
  MapMemory memory;  // that of `options` is for the matrix of the ranks
  options.memory = &memory;
  if (units.traffic.ranks() <= few_units) options.effort = std::max(1, options.effort / part_of_effort);
  const MapResult result = search_levels(units.traffic, tree, places, options);
  work += result.work;
  return leaves_of_ranks(units, usable, result.leaf_of_rank);
}

}  // namespace

std::optional<MapResult> map_whole_units(const CommMatrix& matrix, const TreeTopology& tree,
                                         std::span<const std::int32_t> usable, const MapOptions& options) {
  if (matrix.ranks() > most_ranks || matrix.pairs() > most_pairs_per_rank * matrix.ranks() || !uneven(tree, usable))
    return std::nullopt;
  const std::vector<std::int32_t> places = places_of_units(tree, usable, unit_size);
  if (places.size() < static_cast<std::size_t>((matrix.ranks() + unit_size - 1) / unit_size)) return std::nullopt;
  try {
    const mapping::WorkBudget watch(options.deadline);
    watch.spend(static_cast<std::int64_t>(2 * usable.size()));
    const auto units = joined_to_units(matrix, mapping::scaled_graph(matrix, watch), unit_size, watch);
    if (!units) return std::nullopt;
    MapResult result;
    result.leaf_of_rank = mapped_units(*units, tree, usable, places, options, result.work);
    if (matrix.ranks() < least_ranks_of_partial_searches) watch.look();
    std::vector<std::int32_t> leaves = result.leaf_of_rank;
    std::sort(leaves.begin(), leaves.end());
    const std::int32_t top = top_in_scope(tree, usable, leaves, options);
    if (top < 0) return std::nullopt;
    result.leaf_of_rank = mapping::refine(
        matrix, tree, leaves_near(tree, usable, top, leaves), result.leaf_of_rank,
        {.move_to_free = true, .work_limit = work_of_refining * matrix.ranks(), .deadline = options.deadline});
    result.cost = tree.hop_bytes(matrix, result.leaf_of_rank);
    result.method = "units of " + std::to_string(unit_size) + " ranks";
    result.work += watch.spent() + work_of_refining * matrix.ranks();
    return result;
  } catch (const mapping::OutOfTime&) {
    return std::nullopt;
  }
}

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <utility>

#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/level_search.hpp"
#include "treematch/mapping_check.hpp"
#include "treematch/portfolio.hpp"
#include "treematch/watch.hpp"

namespace placement {

namespace {

// The optimum where the ranks are few; what is better than `result` takes its place. Says whether it was found.
bool solve_exactly(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                   const MapOptions& options, MapResult& result) {
  const std::int64_t work = options.work_limit > 0 ? options.work_limit : exact_steps(matrix.ranks(), options.effort);
  try {
    const Watch watch(options.deadline);
    watch.spend(tree.vertices());
    auto exact = exact_mapping(matrix, tree, usable, options.scope, options.levels_up, {}, work, watch);
    if (!exact) return false;
    result.optimal = true;
    const Cost cost = tree.hop_bytes(matrix, *exact);
    if (cost >= result.cost) return true;
    result.cost = cost;
    result.leaf_of_rank = std::move(*exact);
    result.method = "exact search";
    order_equal_branches(tree, result.leaf_of_rank, watch);
  } catch (const OutOfTime&) {
  }
  return result.optimal;
}

// Rank r on the r-th leaf of the scope.
MapResult in_natural_order(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                           const MapOptions& options) {
  MapResult result;
  result.leaf_of_rank = leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up);
  result.leaf_of_rank.resize(matrix.ranks());
  result.cost = result.natural_cost = tree.hop_bytes(matrix, result.leaf_of_rank);
  result.method = "natural";
  return result;
}

}  // namespace

const MapMemory::Entry* MapMemory::find(std::span<const LeafTree::Vertex> shape,
                                        std::span<const std::int32_t> packed) const {
  for (const Entry& entry : entries_)
    if (std::ranges::equal(entry.packed, packed) && std::ranges::equal(entry.shape, shape)) return &entry;
  return nullptr;
}

MapResult map_to_tree(const CommMatrix& matrix, const TreeTopology& tree,
                      std::span<const std::int32_t> usable, const MapOptions& options) {
  check_usable(tree, usable, matrix.ranks());
  if (matrix.ranks() == 0) return {.leaf_of_rank = {}, .cost = 0, .natural_cost = 0, .method = "natural"};
  MapResult natural = in_natural_order(matrix, tree, usable, options);
  if (matrix.pairs() == 0 || options.deadline.expired()) return natural;
  if (matrix.ranks() <= most_ranks_mapped_exactly && solve_exactly(matrix, tree, usable, options, natural)) return natural;
  if (options.scope == LeafScope::given)
    return map_by_portfolio(matrix, tree, leaves_in_scope(tree, usable, matrix.ranks(), options.scope, 0), options);
  MapResult result = search_levels(matrix, tree, usable, options);
  result.natural_cost = natural.natural_cost;
  return result.cost < natural.cost ? result : natural;
}

}  // namespace placement

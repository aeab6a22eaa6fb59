// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/greedy.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/mapping_check.hpp"
#include "mapping/sparsify.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/annealing.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/level_search.hpp"
#include "treematch/portfolio.hpp"

namespace placement::treematch {

namespace {

constexpr std::int32_t effort_factor = 4;  // with more than the usual effort, from each search to the next

// With more than the usual effort, up to max_ranks_annealed_long ranks are annealed once more after each search. That
// takes long_annealing_per_rank units of work for each rank and unit of effort.
constexpr std::int32_t max_ranks_annealed_long = 512;
constexpr std::int64_t long_annealing_per_rank = 1500;
constexpr std::int32_t most_in_table =
    1 << 22;  // ranks times leaves; with more, only leaves that lie close together are tried

// A matrix with more than most_pairs_mapped_quickly pairs is first searched with sparsified_pairs pairs and
// effort_if_sparsified, which takes about 20 ms.
constexpr std::int32_t sparsified_pairs = 30'000;
constexpr std::int32_t effort_if_sparsified = 2;

// Searches for the optimum in at most `work` steps, where there are few ranks. A mapping that costs less than `result`
// replaces it. Returns whether `result` is optimal.
bool solve_exactly(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                   const MapOptions& options, std::int64_t work, MapResult& result) {
  if (matrix.ranks() > most_ranks_mapped_exactly || options.deadline.expired()) return false;
  try {
    const mapping::WorkBudget watch(options.deadline);
    watch.spend(tree.vertices());
    bool narrower = false;
    auto exact = exact_mapping(matrix, tree, usable, options.scope, options.levels_up, {}, work, watch, &narrower);
    if (!exact) return false;
    result.optimal = !narrower;
    const Cost cost = tree.hop_bytes(matrix, *exact);
    if (cost >= result.cost) return result.optimal;
    result.cost = cost;
    result.leaf_of_rank = std::move(*exact);
    result.method = "exact search";
    order_equal_branches(tree, result.leaf_of_rank, watch);
  } catch (const mapping::OutOfTime&) {
  }
  return result.optimal;
}

// Places rank r on the r-th leaf of the scope.
MapResult in_natural_order(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                           const MapOptions& options) {
  MapResult result;
  result.leaf_of_rank = leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up);
  result.leaf_of_rank.resize(matrix.ranks());
  std::vector<std::int32_t> slot(matrix.ranks());
  std::iota(slot.begin(), slot.end(), 0);
  result.cost = result.natural_cost = mapping::mapping_cost(matrix, mapping::LeafTree(tree, result.leaf_of_rank), slot);
  result.method = "natural";
  return result;
}

// Maps the ranks with one effort; the matrix has at least one rank.
MapResult map_with_effort(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                          const MapOptions& options) {
  MapResult natural = in_natural_order(matrix, tree, usable, options);
  if (matrix.pairs() == 0 || options.deadline.expired()) return natural;
  const std::int64_t steps =
      options.work_limit > 0 ? options.work_limit : std::min(options.most_exact_steps, exact_steps(options.effort));
  if (solve_exactly(matrix, tree, usable, options, steps, natural)) return natural;
  MapResult result =
      options.scope == LeafScope::given
          ? map_by_portfolio(matrix, tree, leaves_in_scope(tree, usable, matrix.ranks(), options.scope, 0), options)
          : search_levels(matrix, tree, usable, options);
  result.natural_cost = natural.natural_cost;
  natural.work = result.work;
  if (natural.cost <= result.cost) result = std::move(natural);
  return result;
}

// Returns the usable leaves that a scope admits around the leaf: those below the subtree that has enough leaves, or
// below its ancestor. The scope is `subtree` or `whole`.
std::vector<std::int32_t> leaves_around(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                        std::int32_t leaf, std::int32_t ranks, const MapOptions& options) {
  if (options.scope == LeafScope::whole) return {usable.begin(), usable.end()};
  const std::vector<std::int32_t> tops = ancestors(tree, lowest_subtrees(tree, usable, ranks), options.levels_up);
  for (const std::int32_t top : tops)
    if (leaf >= tree.first_leaf(top) && leaf < tree.first_leaf(top) + tree.leaf_count(top))
      return leaves_below(tree, usable, top);
  return {};
}

// Anneals the mapping with much work, in proportion to the effort. A mapping that costs less replaces `result`.
void anneal_long(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                 const MapOptions& options, MapResult& result) {
  if (matrix.ranks() > max_ranks_annealed_long || matrix.pairs() == 0 || options.scope == LeafScope::given) return;
  try {
    const mapping::WorkBudget watch(options.deadline);
    std::vector<std::int32_t> scope = leaves_around(tree, usable, result.leaf_of_rank.front(), matrix.ranks(), options);
    if (scope.empty()) return;
    if (const std::int32_t most = most_in_table / matrix.ranks(); std::ssize(scope) > most) {
      scope = packed_leaves(tree, scope, most);
      scope.insert(scope.end(), result.leaf_of_rank.begin(), result.leaf_of_rank.end());
      std::ranges::sort(scope);
      scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    }
    std::vector<std::int32_t> leaf_of_rank = result.leaf_of_rank;
    const std::int64_t work = long_annealing_per_rank * matrix.ranks() * options.effort;
    const Cost cost =
        anneal_on(matrix, mapping::scaled_graph(matrix, watch), tree, scope, leaf_of_rank, options.seed, work, watch);
    if (cost >= result.cost) return;
    order_equal_branches(tree, leaf_of_rank, watch);
    result.cost = cost;
    result.leaf_of_rank = std::move(leaf_of_rank);
    result.method = "annealing";
  } catch (const mapping::OutOfTime&) {
  }
}

// Whether the search of the matrix may take too long. A matrix in which all pairs have equal traffic is searched
// quickly.
bool takes_long(const CommMatrix& matrix) { return matrix.pairs() > most_pairs_mapped_quickly && !matrix.all_alike(); }

// Maps the ranks by a sparsified matrix. Returns nothing if there was no time for that.
std::optional<MapResult> map_sparsified(const CommMatrix& matrix, const TreeTopology& tree,
                                        std::span<const std::int32_t> usable, MapOptions options) {
  MapMemory memory;  // of the sparsified matrix
  options.memory = &memory;
  options.effort = std::min(options.effort, effort_if_sparsified);
  try {
    const mapping::WorkBudget watch(options.deadline);
    const std::int32_t per_rank = std::max(1, sparsified_pairs / matrix.ranks());
    MapResult result =
        map_with_effort(mapping::sparsified(matrix, per_rank, options.seed, watch), tree, usable, options);
    watch.look();  // what costs less with some of the pairs only may cost more with all, so that only the end counts
    result.cost = tree.hop_bytes(matrix, result.leaf_of_rank);
    result.method += " of the sparsified matrix";
    result.optimal = false;
    return result;
  } catch (const mapping::OutOfTime&) {
    return std::nullopt;
  }
}

// Returns the mapping that takes a fraction of a millisecond and is made with any deadline: the natural order or the
// greedy mapping.
MapResult map_cheaply(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                      const MapOptions& options) {
  MapResult result = in_natural_order(matrix, tree, usable, options);
  if (matrix.pairs() == 0 || matrix.pairs() > most_pairs_mapped_quickly) return result;
  std::vector<std::int32_t> scope = leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up);
  const mapping::LeafTree leaves(tree, std::move(scope));
  std::vector<std::int32_t> slot = mapping::greedy_mapping(mapping::scaled_graph(matrix), leaves);
  const Cost cost = mapping::mapping_cost(matrix, leaves, slot);
  if (cost >= result.cost) return result;
  for (std::int32_t& s : slot) s = leaves.leaf(s);
  result.leaf_of_rank = std::move(slot);
  result.cost = cost;
  result.method = "greedy";
  return result;
}

// Replaces `result` by the other mapping if this costs no more. The natural order stays that of `result`.
void keep_better(MapResult& result, MapResult other) {
  if (other.cost > result.cost) return;
  other.natural_cost = result.natural_cost;
  result = std::move(other);
}

// Maps the ranks with the usual effort or less.
MapResult map_once(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                   const MapOptions& options) {
  std::optional<MapResult> sparsified;
  if (takes_long(matrix)) sparsified = map_sparsified(matrix, tree, usable, options);
  MapResult result = map_with_effort(matrix, tree, usable, options);
  if (!sparsified || sparsified->cost >= result.cost) return result;
  sparsified->natural_cost = result.natural_cost;
  return *std::move(sparsified);
}

}  // namespace

MapResult map_to_tree(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                      const MapOptions& options) {
  mapping::check_usable(tree, usable, matrix.ranks());
  if (matrix.ranks() == 0) return {.leaf_of_rank = {}, .cost = 0, .natural_cost = 0, .method = "natural"};
  MapMemory memory;
  MapOptions step = options;
  if (step.memory == nullptr && options.scope != LeafScope::given) step.memory = &memory;
  MapResult best = map_cheaply(matrix, tree, usable, options);
  if (matrix.pairs() == 0 || options.deadline.expired()) return best;
  if (options.work_limit > 0) {
    keep_better(best, map_with_effort(matrix, tree, usable, step));
    return best;
  }
  step.effort = std::min(options.effort, usual_effort);
  keep_better(best, map_once(matrix, tree, usable, step));
  while (!best.optimal && step.effort < options.effort && !options.deadline.expired()) {
    step.effort = std::min(effort_factor * step.effort, options.effort);
    MapResult other = map_with_effort(matrix, tree, usable, step);
    if (other.optimal || other.cost < best.cost) best = std::move(other);
    if (!best.optimal) anneal_long(matrix, tree, usable, step, best);
  }
  return best;
}

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/subtree_search.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/annealing.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/portfolio.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

using Leaves = std::vector<std::int32_t>;

Leaves sorted(Leaves leaves) {
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

class SubtreeSearch {
 public:
  SubtreeSearch(const CommMatrix& matrix, RankStructure& structure, const TreeTopology& tree,
                std::span<const std::int32_t> usable, const MapOptions& options, const SearchLimits& limits)
      : matrix_(matrix),
        structure_(structure),
        tree_(tree),
        usable_(usable),
        options_(options),
        limits_(limits),
        watch_(options.deadline),
        best_(measured(matrix, tree, {usable.begin(), usable.begin() + matrix.ranks()}, "natural")) {}

  MapResult run() {
    try {
      if (usable_.size() == static_cast<std::size_t>(matrix_.ranks()))
        search_all_leaves();
      else
        search();
    } catch (const mapping::OutOfTime&) {
    }
    best_.work = work();
    return std::move(best_);
  }

 private:
  bool many() const { return matrix_.ranks() > most_ranks_annealed; }
  bool few_enough_to_anneal() const { return matrix_.ranks() <= most_ranks_annealed * options_.effort / usual_effort; }

  // Searches if the ranks take all leaves, so only one set of leaves is possible.
  void search_all_leaves() {
    const MapResult result = mapped({usable_.begin(), usable_.end()});
    keep(result);
    if (!limits_.anneal_exchanges || !few_enough_to_anneal()) return;
    if (!many()) map_units();
    anneal_from(result);
  }

  // Searches the best set of leaves with all work and continues by annealing. With many ranks, the mapped units choose
  // the leaves, if there are units.
  void search() {
    std::optional<MapResult> start;
    if (many()) start = map_units();
    const Leaves leaves = start ? sorted(start->leaf_of_rank) : best_leaves();
    if (!many()) map_units();
    MapResult result = mapped(leaves_near(tree_, usable_, leaves), leaves);
    if (start && start->cost <= result.cost) result = *std::move(start);
    keep(result);
    if (few_enough_to_anneal()) anneal_from(result);
  }

  // Maps the units in place of ranks, the largest size first, until the cost is much higher than that of the best
  // mapping. Keeps the best mapping of the ranks. Returns the first one; nothing if there is none.
  std::optional<MapResult> map_units() {
    std::optional<MapResult> first;
    if (limits_.units == 0) return first;
    for (const RankUnits& units : structure_.units(many() ? smallest_unit_of_many : smallest_rank_unit)) {
      std::optional<MapResult> result;
      if (!options_.deadline.expired()) result = mapped_units(units);
      if (!result) continue;
      const auto cost = static_cast<double>(result->cost);
      if (!first) first = std::move(result);
      if (cost > worth_smaller_units * static_cast<double>(best_.cost)) break;
    }
    return first;
  }

  // Maps the units, if there are enough places for them, and anneals the mapping of the ranks.
  std::optional<MapResult> mapped_units(const RankUnits& units) {
    const Leaves places = places_of_units(tree_, usable_, units.size);
    watch_.spend(static_cast<std::int64_t>(usable_.size()));
    if (places.size() < static_cast<std::size_t>(units.traffic.ranks())) return std::nullopt;
    RankStructure structure(units.traffic, options_.seed, watch_);
    const MapResult of_units = search_subtree(units.traffic, structure, tree_, places, options_,
                                              {.annealing = limits_.units * percent_to_anneal_units / 100});
    work_of_parts_ += of_units.work;
    watch_.look();  // an unfinished mapping of the units may cost more for the ranks
    MapResult result = measured(matrix_, tree_, leaves_of_ranks(units, usable_, of_units.leaf_of_rank),
                                "units of " + std::to_string(units.size) + " ranks");
    keep(result);
    anneal_from(result);
    return result;
  }

  // Returns the leaves on which a quick mapping costs least. Candidates are the best sets by the model, and a set that
  // keeps each heavy group of ranks together.
  Leaves best_leaves() {
    std::vector<Leaves> sets = leaf_sets(structure_.model(), tree_, usable_);
    sets.resize(std::min(sets.size(), sets_of_leaves_tried));
    if (const auto& groups = structure_.groups(); !groups.empty()) {
      sets.push_back(leaves_for_groups(matrix_, groups, tree_, leaves_near(tree_, usable_, sets.front()), watch_));
      std::erase(sets, Leaves());
    }
    if (sets.size() == 1) return sets.front();
    std::vector<Cost> costs;
    for (const Leaves& set : sets) {
      MapResult result = many() ? in_an_order(set) : mapped(set, set, true);
      costs.push_back(result.cost);
      keep(std::move(result));
    }
    return sets[std::min_element(costs.begin(), costs.end()) - costs.begin()];
  }

  // Places the ranks on the leaves from left to right, in the order of the bisection or in natural order. Returns the
  // cheaper mapping.
  MapResult in_an_order(const Leaves& leaves) {
    Leaves in_order;
    for (const std::int32_t position : structure_.order()) in_order.push_back(leaves[position]);
    watch_.spend(2 * matrix_.pairs());
    MapResult result = measured(matrix_, tree_, std::move(in_order), "bisection");
    MapResult natural = measured(matrix_, tree_, leaves, "natural");
    return natural.cost <= result.cost ? natural : result;
  }

  void anneal_from(const MapResult& start) {
    MapResult annealed{start.leaf_of_rank, 0, "annealing"};
    annealed.cost =
        anneal_on(matrix_, structure_.graph(), tree_, leaves_near(tree_, usable_, sorted(start.leaf_of_rank)),
                  annealed.leaf_of_rank, options_.seed, limits_.annealing, watch_);
    keep(std::move(annealed));
  }

  MapResult mapped(Leaves scope, Leaves packed = {}, bool quickly = false) {
    MapResult result = map_by_portfolio(matrix_, tree_, std::move(scope), options_, std::move(packed), quickly,
                                        &structure_.bisections());
    work_of_parts_ += result.work;
    return result;
  }

  void keep(MapResult result) {
    if (result.cost >= best_.cost) return;
    best_ = std::move(result);
  }

  std::int64_t work() const { return watch_.spent() + work_of_parts_; }

  const CommMatrix& matrix_;
  RankStructure& structure_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  const MapOptions& options_;
  const SearchLimits limits_;
  const mapping::WorkBudget watch_;
  std::int64_t work_of_parts_ = 0;
  MapResult best_;
};

}  // namespace

MapResult search_subtree(const CommMatrix& matrix, RankStructure& structure, const TreeTopology& tree,
                         std::span<const std::int32_t> usable, const MapOptions& options, const SearchLimits& limits) {
  return SubtreeSearch(matrix, structure, tree, usable, options, limits).run();
}

std::vector<std::int32_t> leaves_near(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                      const std::vector<std::int32_t>& leaves) {
  const std::size_t enough = 2 * leaves.size() + 64;
  if (usable.size() <= 2 * enough) return {usable.begin(), usable.end()};
  const Leaves close = packed_leaves(tree, usable, static_cast<std::int32_t>(enough));
  Leaves all;
  std::set_union(close.begin(), close.end(), leaves.begin(), leaves.end(), std::back_inserter(all));
  return all;
}

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/subtree_search.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/annealing.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/map_memory.hpp"
#include "treematch/portfolio.hpp"
#include "treematch/rank_structure.hpp"
#include "treematch/subtree_classes.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

using Leaves = std::vector<std::int32_t>;

Leaves sorted(Leaves leaves) {
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

// The work of a search of one subtree, in units of work: about one arc visited each.
struct SearchLimits {
  std::int64_t annealing = 0;     // for each annealing
  std::int64_t units = 0;         // for each size of units; 0: the ranks are not joined to units
  bool anneal_exchanges = false;  // anneal even if the ranks take all leaves and can only swap
};

// Returns the given leaves together with other usable leaves to which ranks may move: all of them, or the closest ones
// if there are many.
Leaves leaves_near(const TreeTopology& tree, std::span<const std::int32_t> usable, const Leaves& leaves) {
  const std::size_t enough = 2 * leaves.size() + 64;
  if (usable.size() <= 2 * enough) return {usable.begin(), usable.end()};
  const Leaves close = packed_leaves(tree, usable, static_cast<std::int32_t>(enough));
  Leaves all;
  std::set_union(close.begin(), close.end(), leaves.begin(), leaves.end(), std::back_inserter(all));
  return all;
}

// Chooses one of the usable leaves for each rank, with few hop-bytes. Packs the ranks closely, maps units of ranks, and
// improves and anneals the best mapping found, at worst the natural order on the first leaves.
class SubtreeSearch {
 public:
  //   structure  structure of the matrix; parts that are already computed do not change the result
  //   usable     leaves that may be taken, ascending, at least one per rank
  //   options    seed, effort and deadline are used
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
  // mapping. Keeps the best mapping. Returns the mapping by the first size that gives one, else nothing.
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
    watch_.spend(std::ssize(usable_));
    if (places.size() < static_cast<std::size_t>(units.traffic.ranks())) return std::nullopt;
    RankStructure structure(units.traffic, options_.seed, watch_);
    const MapResult of_units = SubtreeSearch(units.traffic, structure, tree_, places, options_,
                                             {.annealing = limits_.units * percent_to_anneal_units / 100})
                                   .run();
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

class LevelSearch {
 public:
  LevelSearch(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
              const MapOptions& options, std::int64_t most_work)
      : matrix_(matrix),
        tree_(tree),
        usable_(usable),
        options_(options),
        most_work_(most_work),
        watch_(options.deadline),
        structure_watch_(options.deadline),
        structure_(matrix, options.seed, structure_watch_),
        lowest_(lowest_subtrees(tree, usable, matrix.ranks())) {}

  MapResult run() {
    try {
      in_order_below(lowest_.front());
      const bool few = matrix_.ranks() <= most_ranks_searched_often;
      if (few)
        search_each();
      else
        search_closest();
      const std::int32_t levels = options_.scope == LeafScope::subtree ? options_.levels_up : tree_.height(0);
      std::vector<std::int32_t> tops = lowest_;
      for (std::int32_t up = 1; up <= levels && tops.front() != 0 && !options_.deadline.expired(); ++up) {
        tops = ancestors(tree_, lowest_, up);
        in_order_below(tops.front());
      }
      if (few) search_fullest(tops);
    } catch (const mapping::OutOfTime&) {
    }
    best_.work = work();
    return best_;
  }

 private:
  struct Subtree {
    double estimate = 0;
    std::int32_t top = 0;
  };

  // Returns one subtree of each class of the lowest subtrees, in ascending order of the model's hop-bytes. Mappings on
  // subtrees of one class have equal costs.
  std::vector<Subtree> estimated(const CutModel& model) {
    std::vector<Subtree> subtrees;
    watch_.spend(4 * static_cast<std::int64_t>(tree_.vertices()));
    const SubtreeClasses classes(tree_, usable_, matrix_.ranks(), {});
    std::vector<bool> seen(classes.classes().size(), false);
    for (const std::int32_t top : lowest_) {
      if (seen[classes.of(top)]) continue;
      seen[classes.of(top)] = true;
      const Leaves below = leaves_below(tree_, usable_, top);
      watch_.spend(std::ssize(below) + 8 * matrix_.ranks());
      subtrees.push_back({model.cost(tree_, packed_leaves(tree_, below, matrix_.ranks())), top});
    }
    std::ranges::stable_sort(subtrees, {}, &Subtree::estimate);
    return subtrees;
  }

  // Maps many ranks in the subtree with the least estimate, to one or two sets of its leaves.
  void search_closest() {
    const CutModel model(matrix_.ranks(), exponent_of_halo_exchange);
    const Leaves below = leaves_below(tree_, usable_, estimated(model).front().top);
    const std::vector<Leaves> sets = leaf_sets(model, tree_, below);
    const bool twice = matrix_.ranks() <= most_ranks_tried_twice && options_.effort >= usual_effort;
    for (std::size_t k = 0; k < sets.size() && k < (twice ? sets_of_leaves_tried : 1); ++k)
      if (!options_.deadline.expired())
        keep_search(map_by_portfolio(matrix_, tree_, leaves_near(tree_, below, sets[k]), options_, sets[k]));
  }

  // Searches the lowest subtrees one after the other, each alone, until the limit of work. The least estimates come
  // first. With more than most_ranks_on_each ranks, only subtrees whose estimate is close to the least one are
  // searched.
  void search_each() {
    if (lowest_.size() == 1) return search_alone(lowest_.front(), leaves_below(tree_, usable_, lowest_.front()));
    const std::int64_t end = work() + most_work_;
    const std::vector<Subtree> subtrees = estimated(structure_.model());
    std::int64_t last = 0;  // work that the last search took
    for (const Subtree& subtree : subtrees) {
      const std::int64_t before = work();
      const bool far = subtree.estimate > worth_searching * subtrees.front().estimate;
      if (options_.deadline.expired() || before + last / 2 > end || (far && matrix_.ranks() > most_ranks_on_each))
        return;
      search_alone(subtree.top, leaves_below(tree_, usable_, subtree.top));
      last = work() - before;
    }
  }

  // Searches these leaves, which are below the vertex.
  void search_alone(std::int32_t top, const Leaves& leaves) {
    keep_search(mapped_alone(SearchAlone::subtree, tree_, leaves, options_, watch_,
                             [&](const TreeTopology& part, const Leaves& all) {
                               return SubtreeSearch(matrix_, structure_, part, all, options_, limits(top)).run();
                             }));
  }

  // Searches the fullest subtrees of one height alone, if the scope admits all of them. The height is just below that
  // of the lowest subtrees. If heavy pairs join ranks to groups, also searches lower heights, such as leaf switches,
  // because the groups may fit there.
  void search_fullest(const std::vector<std::int32_t>& tops) {
    const std::int32_t below = tree_.height(lowest_.front()) - 1;
    const bool groups = !structure_.groups().empty();
    const bool one = lowest_.size() == 1 && lowest_.front() != 0;  // search_each() has searched all its leaves
    for (std::int32_t height = below; height >= 1 && !options_.deadline.expired(); --height) {
      if (!groups && (height < below || matrix_.ranks() > most_ranks_annealed)) return;
      watch_.spend(static_cast<std::int64_t>(4 * usable_.size()));
      const Leaves leaves = all_of_fullest(height);
      const auto has_all = [&](std::int32_t v) { return all_below(tree_, leaves, v); };
      const std::int32_t top =
          tree_.lowest_common_ancestor(tree_.leaf_vertex(leaves.front()), tree_.leaf_vertex(leaves.back()));
      if (std::ranges::any_of(tops, has_all) && !(one && has_all(lowest_.front())) &&
          leaves.size() < leaves_below(tree_, usable_, top).size())
        search_alone(top, leaves);
    }
  }

  // Returns all usable leaves of the fullest subtrees of a height. Takes as many subtrees as the ranks need.
  Leaves all_of_fullest(std::int32_t height) const {
    Leaves chosen;
    for (const std::int32_t leaf : fullest_subtrees(tree_, usable_, matrix_.ranks(), height)) {
      if (!chosen.empty() && leaf <= chosen.back()) continue;
      std::int32_t vertex = tree_.leaf_vertex(leaf);
      while (vertex > 0 && tree_.height(vertex) < height) vertex = tree_.parent(vertex);
      const Leaves below = leaves_below(tree_, usable_, vertex);
      chosen.insert(chosen.end(), below.begin(), below.end());
    }
    return chosen;
  }

  // Returns the limits of the search below one vertex. They are lower if several subtrees may have to be searched.
  SearchLimits limits(std::int32_t top) const {
    const bool many = matrix_.ranks() > most_ranks_annealed;
    const std::int64_t percent = many       ? percent_for_units_of_many
                                 : top == 0 ? percent_for_units
                                            : percent_for_units_in_subtree;
    SearchLimits limits;
    limits.units = work_per_effort * options_.effort * (many ? 1 : 2) * percent / 100;
    limits.anneal_exchanges = options_.anneal_exchanges && usable_.size() == static_cast<std::size_t>(matrix_.ranks());
    const bool whole = top == 0 || limits.anneal_exchanges;
    limits.annealing = (whole ? annealing_per_effort : annealing_in_subtree_per_effort) * options_.effort *
                       std::min(matrix_.ranks(), ranks_annealed_fully) / ranks_annealed_fully;
    if (limits.anneal_exchanges) limits.annealing *= 2;
    return limits;
  }

  // Places rank r on the r-th usable leaf below the vertex. The caller has tried those below the root.
  void in_order_below(std::int32_t top) {
    if (top == 0) return;
    Leaves leaves = leaves_below(tree_, usable_, top);
    leaves.resize(matrix_.ranks());
    keep(measured(matrix_, tree_, std::move(leaves), "natural"));
  }

  void keep_search(MapResult result) {
    work_of_searches_ += result.work;
    keep(std::move(result));
  }

  void keep(MapResult result) {
    if (best_.leaf_of_rank.empty() || result.cost < best_.cost) best_ = std::move(result);
  }

  std::int64_t work() const { return watch_.spent() + work_of_searches_; }

  const CommMatrix& matrix_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  MapOptions options_;
  const std::int64_t most_work_;
  const mapping::WorkBudget watch_;
  const mapping::WorkBudget structure_watch_;  // not part of work(): searches from memory use only a part
  RankStructure structure_;
  const std::vector<std::int32_t> lowest_;  // the subtrees of the least height that have enough usable leaves
  std::int64_t work_of_searches_ = 0;
  MapResult best_;
};

}  // namespace

MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options, std::int64_t work) {
  return LevelSearch(matrix, tree, usable, options, work).run();
}

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/subtree_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "mapping/leaf_tree.hpp"
#include "mapping/mapping_check.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/annealing.hpp"
#include "treematch/canonical.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/leaf_sets.hpp"
#include "treematch/portfolio.hpp"

namespace placement::treematch {

namespace {

// These limits decide how much is tried.
//   worth_refining  a wider scope is searched on if its cost is at most this multiple of the cost found so far
//   worth_a_look    a set of leaves is tried if its estimated cost is at most this multiple of the least estimate
constexpr double worth_refining = 1.02;
constexpr double worth_a_look = 1.1;
constexpr std::int64_t ranks_tried_quickly = 1024;    // ranks times sets of leaves tried quickly, with the usual effort
constexpr std::int64_t percent_for_quick_tries = 55;  // of the work; the rest is for searches with all work
constexpr std::int64_t percent_beside_units = 30;     // for quick tries where units of ranks are searched
constexpr std::int64_t percent_to_anneal_units = 25;  // of the work for one size of units
constexpr std::ptrdiff_t most_refined = 16;           // sets of leaves searched with all work, at most
constexpr std::int64_t most_ranks_annealed = 256;
constexpr std::int32_t smallest_unit = 2;
constexpr std::int32_t smallest_unit_of_many = 8;
constexpr double worth_smaller_units = 1.03;  // smaller units are tried if these cost at most this multiple of the best
constexpr std::size_t most_tops_for_groups = 2;

class SubtreeSearch {
 public:
  SubtreeSearch(const CommMatrix& matrix, RankStructure& structure, const TreeTopology& tree,
                std::span<const std::int32_t> usable, std::span<const std::int32_t> tops, const MapOptions& options,
                const SearchLimits& limits, MapResult best, bool wider)
      : matrix_(matrix),
        structure_(structure),
        tree_(tree),
        usable_(usable),
        tops_(tops),
        options_(options),
        limits_(limits),
        wider_(wider),
        watch_(options.deadline),
        best_(std::move(best)) {}

  MapResult run() {
    try {
      if (!wider_ && usable_.size() == static_cast<std::size_t>(matrix_.ranks()))
        search_all_leaves();
      else
        search();
    } catch (const mapping::OutOfTime&) {
    }
    best_.work = work();
    return std::move(best_);
  }

 private:
  struct Start {
    MapResult result;
    LeafSet on;
  };

  struct Annealed {
    std::int32_t top;
    std::vector<std::int32_t> leaf_of_rank;  // where it started
    std::int64_t work;
  };

  bool many() const { return matrix_.ranks() > most_ranks_annealed; }

  // Searches where the ranks take all leaves, so that there is one set of them.
  void search_all_leaves() {
    MapResult result = mapped({usable_.begin(), usable_.end()});
    keep(result);
    if (!limits_.anneal_exchanges || matrix_.ranks() > most_ranks_annealed * options_.effort / usual_effort) return;
    if (!many() && limits_.units > 0) unit_starts(structure_.units(smallest_unit));
    anneal_from(result, tops_.front());
  }

  // Tries several sets of leaves with little work. Searches the best of them with all work and continues by annealing.
  void search() {
    static const std::vector<RankUnits> none;
    const std::vector<RankUnits>& units =
        wider_ || limits_.units == 0 ? none : structure_.units(many() ? smallest_unit_of_many : smallest_unit);
    std::vector<Start> starts;
    if (many()) starts = unit_starts(units);
    if (starts.empty()) {
      starts = quick_starts(limits_.work *
                            (wider_          ? 100
                             : units.empty() ? percent_for_quick_tries
                                             : percent_beside_units) /
                            100);
      if (!many()) unit_starts(units);
    }
    if (starts.empty()) return;
    if (wider_ && static_cast<double>(starts.front().result.cost) > worth_refining * static_cast<double>(best_.cost))
      return;
    std::vector<std::int32_t> searched;
    std::int64_t last = 0;  // work that the last search took
    for (const Start& start : starts) {
      const std::int64_t before = work();
      if (options_.deadline.expired() || std::ssize(searched) == most_refined ||
          (!searched.empty() && before + last > limits_.work))
        break;
      // One set of leaves is searched in each subtree.
      if (std::find(searched.begin(), searched.end(), start.on.top) != searched.end()) continue;
      searched.push_back(start.on.top);
      MapResult result = mapped(leaves_near(tree_, usable_, start.on.top, start.on.leaves), start.on.leaves);
      if (!start.result.leaf_of_rank.empty() && start.result.cost <= result.cost) result = start.result;
      keep(result);
      if (matrix_.ranks() <= most_ranks_annealed * options_.effort / usual_effort) anneal_from(result, start.on.top);
      last = work() - before;
    }
  }

  // Maps the units in place of ranks, one size after the other as long as this costs little more than the best mapping.
  // Keeps the best and returns a mapping of the ranks for each size that was tried.
  std::vector<Start> unit_starts(const std::vector<RankUnits>& all) {
    std::vector<Start> starts;
    for (const RankUnits& units : all) {
      if (options_.deadline.expired() || !add_start(units, starts)) continue;
      if (static_cast<double>(starts.back().result.cost) > worth_smaller_units * static_cast<double>(best_.cost)) break;
    }
    return starts;
  }

  // Maps the units below the first vertex, if it has places enough for them. Returns whether it added a mapping.
  bool add_start(const RankUnits& units, std::vector<Start>& starts) {
    const std::int32_t top = tops_.front();
    const std::vector<std::int32_t> places = leaves_below(tree_, places_of_units(tree_, usable_, units.size), top);
    watch_.spend(static_cast<std::int64_t>(usable_.size()));
    const auto count = static_cast<std::size_t>(units.traffic.ranks());
    if (places.size() < count) return false;
    RankStructure structure(units.traffic, options_.seed, watch_);
    MapMemory memory;
    MapOptions options = options_;
    options.memory = &memory;
    const SearchLimits limits{limits_.units, limits_.units * percent_to_anneal_units / 100, 0};
    MapResult of_units = search_subtrees(
        units.traffic, structure, tree_, places, tops_, options, limits,
        natural_order_on(units.traffic, tree_, {places.begin(), places.begin() + units.traffic.ranks()}), false);
    work_of_parts_ += of_units.work;
    watch_.look();  // what costs less for the units may cost more for the ranks, so that only the end counts
    Start start;
    start.result.leaf_of_rank = leaves_of_ranks(units, usable_, of_units.leaf_of_rank);
    start.result.cost = tree_.hop_bytes(matrix_, start.result.leaf_of_rank);
    start.result.method = "units of " + std::to_string(units.size) + " ranks";
    keep(start.result);
    start.on.top = top;
    start.on.leaves = sorted(start.result.leaf_of_rank);
    anneal_from(start.result, top);
    starts.push_back(std::move(start));
    return true;
  }

  // Maps the ranks to several sets of leaves with little work, until the work reaches `end`. Returns the mappings, best
  // first.
  std::vector<Start> quick_starts(std::int64_t end) {
    const CutModel& model = structure_.model();
    LeafSets sets(tree_, usable_, model, watch_);
    const std::ptrdiff_t tries = sets_of_leaves_tried(matrix_.ranks(), options_.effort);
    std::vector<LeafSet> all = sets.packings(tops_, std::max<std::ptrdiff_t>(4, tries));
    const std::ptrdiff_t most = wider_ ? std::max<std::ptrdiff_t>(2, tries / 2) : tries;
    if (std::ssize(all) > most) all.resize(most);
    while (!all.empty() && all.back().cost > worth_a_look * all.front().cost) all.pop_back();
    if (wider_) {
      const double cost = sets.cost(sorted(best_.leaf_of_rank));
      while (!all.empty() && all.back().cost >= cost) all.pop_back();
    }
    const std::ptrdiff_t packed = std::ssize(all);
    add_groups(sets, all);
    std::rotate(all.begin(), all.begin() + packed, all.end());
    std::vector<Start> starts;
    for (LeafSet& set : all) {
      if (options_.deadline.expired() || (!starts.empty() && work() > end)) break;
      if (all.size() == 1 && !wider_)
        starts.push_back({});
      else
        starts.push_back({many() ? in_an_order(set.leaves) : mapped(set.leaves, set.leaves, true), {}});
      starts.back().on = std::move(set);
      if (!starts.back().result.leaf_of_rank.empty()) keep(starts.back().result);
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& a, const Start& b) { return a.result.cost < b.result.cost; });
    return starts;
  }

  // Adds sets of leaves on which heavy groups of ranks are not divided, below the subtrees with the best estimates.
  void add_groups(LeafSets& sets, std::vector<LeafSet>& all) {
    const std::vector<std::vector<std::int32_t>>& groups = structure_.groups();
    if (groups.empty()) return;
    std::vector<std::int32_t> best;
    for (const LeafSet& set : all)
      if (std::find(best.begin(), best.end(), set.top) == best.end()) best.push_back(set.top);
    if (best.empty()) best.assign(tops_.begin(), tops_.end());
    if (best.size() > most_tops_for_groups) best.resize(most_tops_for_groups);
    const auto by_size = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    const auto largest = static_cast<std::int32_t>(std::max_element(groups.begin(), groups.end(), by_size)->size());
    for (const std::int32_t top : best) {
      const std::vector<std::int32_t> below = leaves_below(tree_, usable_, top);
      const std::vector<std::int32_t> packed = packed_leaves(tree_, below, matrix_.ranks());
      sets.add(all, top, leaves_for_groups(matrix_, groups, tree_, leaves_near(tree_, usable_, top, packed), watch_));
      sets.add(all, top, fullest_subtrees(tree_, below, matrix_.ranks(), tree_.least_height_of(largest)));
    }
  }

  // Places the ranks on the leaves from left to right, in the order of the parts of the bisection or in the natural
  // order, whichever costs less.
  MapResult in_an_order(std::vector<std::int32_t> leaves) {
    const std::span<const std::int32_t> order = structure_.order();
    MapResult result;
    result.leaf_of_rank.resize(matrix_.ranks());
    for (std::int32_t rank = 0; rank < matrix_.ranks(); ++rank) result.leaf_of_rank[rank] = leaves[order[rank]];
    result.cost = mapping::mapping_cost(matrix_, mapping::LeafTree(tree_, leaves), order, watch_);
    result.method = "bisection";
    MapResult natural = natural_order_on(matrix_, tree_, std::move(leaves));
    return natural.cost <= result.cost ? natural : result;
  }

  // Continues by annealing. Two ways often find the same mapping; from there it would find the same again, which counts
  // as work all the same.
  void anneal_from(const MapResult& start, std::int32_t top) {
    for (const Annealed& before : annealed_)
      if (before.top == top && before.leaf_of_rank == start.leaf_of_rank) return watch_.spend(before.work);
    const std::int64_t before = watch_.spent();
    const std::vector<std::int32_t> scope = leaves_near(tree_, usable_, top, sorted(start.leaf_of_rank));
    MapResult annealed;
    annealed.leaf_of_rank = start.leaf_of_rank;
    annealed.cost = anneal_on(matrix_, structure_.graph(), tree_, scope, annealed.leaf_of_rank, options_.seed,
                              limits_.annealing, watch_);
    annealed_.push_back({top, start.leaf_of_rank, watch_.spent() - before});
    annealed.method = "annealing";
    if (annealed.cost < best_.cost) order_equal_branches(tree_, annealed.leaf_of_rank, watch_);
    keep(std::move(annealed));
  }

  MapResult mapped(std::vector<std::int32_t> scope, std::vector<std::int32_t> packed = {}, bool quickly = false) {
    MapResult result = map_by_portfolio(matrix_, tree_, std::move(scope), options_, std::move(packed), quickly,
                                        &structure_.bisections());
    work_of_parts_ += result.work;
    return result;
  }

  void keep(MapResult result) {
    if (result.cost >= best_.cost) return;
    result.natural_cost = best_.natural_cost;
    best_ = std::move(result);
  }

  std::int64_t work() const { return watch_.spent() + work_of_parts_; }

  static std::vector<std::int32_t> sorted(std::vector<std::int32_t> leaves) {
    std::sort(leaves.begin(), leaves.end());
    return leaves;
  }

  const CommMatrix& matrix_;
  RankStructure& structure_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  const std::span<const std::int32_t> tops_;
  const MapOptions& options_;
  const SearchLimits limits_;
  const bool wider_;
  const mapping::WorkBudget watch_;
  std::int64_t work_of_parts_ = 0;
  std::vector<Annealed> annealed_;
  MapResult best_;
};

}  // namespace

std::ptrdiff_t sets_of_leaves_tried(std::int32_t ranks, std::int32_t effort) {
  return std::max<std::ptrdiff_t>(2, ranks_tried_quickly * effort / usual_effort / ranks);
}

MapResult search_subtrees(const CommMatrix& matrix, RankStructure& structure, const TreeTopology& tree,
                          std::span<const std::int32_t> usable, std::span<const std::int32_t> tops,
                          const MapOptions& options, const SearchLimits& limits, MapResult best, bool wider) {
  return SubtreeSearch(matrix, structure, tree, usable, tops, options, limits, std::move(best), wider).run();
}

MapResult natural_order_on(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves) {
  std::vector<std::int32_t> slot(leaves.size());
  std::iota(slot.begin(), slot.end(), 0);
  MapResult result;
  result.cost = result.natural_cost = mapping::mapping_cost(matrix, mapping::LeafTree(tree, leaves), slot);
  result.leaf_of_rank = std::move(leaves);
  result.method = "natural";
  return result;
}

}  // namespace placement::treematch

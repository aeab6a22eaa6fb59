// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/level_search.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/mapping_check.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/annealing.hpp"
#include "treematch/canonical.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/multisection.hpp"
#include "treematch/packing.hpp"
#include "treematch/portfolio.hpp"
#include "treematch/rank_units.hpp"

namespace placement::treematch {

namespace {

// These limits decide how much is tried. With the usual effort 512 ranks take about 5 ms.
//   worth_a_try     many ranks: a wider scope is searched if its estimated cost is below this fraction of that so far
//   worth_refining  a wider scope is searched on if its cost is at most this multiple of the cost found so far
//   worth_a_look    a set of leaves is tried if its estimated cost is at most this multiple of the least estimate
constexpr double worth_a_try = 0.99;
constexpr double worth_refining = 1.02;
constexpr double worth_a_look = 1.1;
constexpr std::int32_t most_ranks_tried_often = 512;
constexpr std::int32_t most_ranks_tried_twice = 2048;
constexpr std::int64_t ranks_tried_quickly = 1024;  // ranks times sets of leaves tried quickly, with the usual effort
constexpr std::int64_t work_per_effort =
    90'000;  // units of work of one search; with the usual effort they take 3 to 5 ms
constexpr std::int32_t most_ranks_with_twice_the_work = 256;
constexpr std::int64_t percent_for_quick_tries = 55;  // of this work; the rest is for searches with all work
constexpr std::int64_t percent_beside_units = 30;     // for quick tries where units of ranks have been searched
constexpr std::int64_t percent_for_units = 20;        // of this work, for each size of units
constexpr std::int64_t percent_for_one_size = 15;     // of this work, where there is one size, to save time
constexpr std::int64_t percent_to_anneal_units = 25;  // of the work for one size of units
constexpr std::ptrdiff_t most_refined = 16;           // sets of leaves searched with all work, at most
constexpr std::int64_t most_ranks_annealed = 256;
constexpr std::int64_t annealing_per_effort = 12'000;  // arcs to visit
constexpr std::int32_t ranks_annealed_fully = 64;      // with fewer ranks the work is less, in proportion
constexpr std::int32_t smallest_part_of_model = 8;
constexpr std::int32_t parts_of_model = 8;  // at most; with many ranks the parts are larger, to save time
constexpr std::int32_t largest_unit = 8;
constexpr std::int32_t smallest_unit = 2;
constexpr std::int64_t most_pairs_of_units = 16;  // for each rank; with more pairs the ranks are not joined to units
constexpr double worth_smaller_units = 1.03;  // smaller units are tried if these cost at most this multiple of the best
constexpr std::size_t most_searched_alone = 4;  // subtrees that are searched once more by themselves
constexpr double worth_searching_alone = 1.05;  // if a quick mapping there costs at most this multiple of the best
constexpr std::size_t most_tops_for_groups = 2;

// Chooses leaves and places ranks on them. It goes level by level, from the lowest subtrees that have enough leaves up
// to those that the scope admits. The best mapping of lower levels is kept, so that a wider scope never costs more.
class LevelSearch {
 public:
  LevelSearch(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
              const MapOptions& options)
      : matrix_(matrix),
        tree_(tree),
        usable_(usable),
        options_(options),
        watch_(options.deadline),
        lowest_(lowest_subtrees(tree, usable, matrix.ranks())) {
    if (options_.memory == nullptr) options_.memory = &memory_;
  }

  // Maps units of ranks below the vertices `tops`, each of which has places enough, with `work` units of work.
  LevelSearch(const RankUnits& units, const TreeTopology& tree, std::span<const std::int32_t> places,
              std::vector<std::int32_t> tops, const MapOptions& options, std::int64_t work)
      : matrix_(units.traffic),
        tree_(tree),
        usable_(places),
        options_(options),
        watch_(options.deadline),
        lowest_(std::move(tops)),
        of_units_(true),
        work_for_units_(work) {
    options_.memory = &memory_;
    options_.scope = LeafScope::subtree;
    options_.levels_up = 0;
  }

  MapResult run() {
    try {
      graph_ = mapping::scaled_graph(matrix_, watch_);
      if (few_ranks()) {
        best_ = in_order_below(lowest_.front());
      } else {
        best_ = of_best_estimate(lowest_);
        keep(in_order_below(lowest_.front()));
      }
      std::vector<std::int32_t> narrower;
      for (std::int32_t up = 0; !options_.deadline.expired(); ++up) {
        const std::vector<std::int32_t> tops = ancestors(tree_, lowest_, up);
        if (!have_equal_leaves(tops, narrower)) search_below(tops, up > 0);
        narrower = tops;
        if (tops.front() == 0 || (options_.scope == LeafScope::subtree && up >= options_.levels_up)) break;
      }
    } catch (const mapping::OutOfTime&) {
      if (best_.leaf_of_rank.empty()) best_ = in_order_below(lowest_.front());
    }
    best_.work = work();
    return best_;
  }

 private:
  struct Packing {
    std::int32_t top;
    std::vector<std::int32_t> leaves;
    double cost;  // estimated
  };

  struct Start {
    MapResult result;
    Packing packing;
  };

  bool few_ranks() const { return matrix_.ranks() <= most_ranks_tried_often; }

  // Whether the vertices `tops` have no other usable leaves than the vertices `narrower`, one by one.
  bool have_equal_leaves(const std::vector<std::int32_t>& tops, const std::vector<std::int32_t>& narrower) const {
    return std::ranges::equal(tops, narrower, [&](std::int32_t a, std::int32_t b) {
      return a == b || count_below(tree_, usable_, a) == count_below(tree_, usable_, b);
    });
  }

  // Returns the number of sets of leaves that are tried below the subtrees of one level.
  std::ptrdiff_t tries(bool wider) const {
    const std::int64_t tries = ranks_tried_quickly * options_.effort / usual_effort / matrix_.ranks();
    return std::max<std::ptrdiff_t>(2, wider ? tries / 2 : tries);
  }

  // Returns the best mapping on the sets of leaves with the least estimated cost. Used for many ranks, where it would
  // take too long to try many sets of leaves.
  MapResult of_best_estimate(const std::vector<std::int32_t>& tops) {
    model_.emplace(matrix_.ranks(), CutModel::halo_exchange);
    const std::vector<Packing> all = packings(tops);
    MapResult first = mapped(around(all.front().top, all.front().leaves), all.front().leaves);
    const std::ptrdiff_t most = options_.effort < usual_effort || matrix_.ranks() > most_ranks_tried_twice ? 1 : 2;
    for (std::ptrdiff_t k = 1;
         k < std::min(std::ssize(all), std::max(most, tries(false) / 2)) && !options_.deadline.expired(); ++k) {
      MapResult other = mapped(around(all[k].top, all[k].leaves), all[k].leaves);
      if (other.cost < first.cost) first = std::move(other);
    }
    return first;
  }

  void search_below(const std::vector<std::int32_t>& tops, bool wider) {
    if (wider) keep(in_order_below(tops.front()));
    if (usable_.size() == static_cast<std::size_t>(matrix_.ranks())) {
      if (few_ranks()) keep(mapped(leaves_below(tops.front())));
      return;
    }
    if (few_ranks()) return search_often(tops, wider);
    if (!wider) return;
    // A wider scope is searched only if it has a set of leaves with a lower estimated cost.
    const double cost = model_->cost(tree_, sorted(best_.leaf_of_rank));
    const std::vector<Packing> all = packings(tops);
    if (!all.empty() && all.front().cost < worth_a_try * cost)
      keep(mapped(around(all.front().top, all.front().leaves), all.front().leaves));
  }

  // Places the ranks on the leaves from left to right, in the order of the parts of the bisection or in the natural
  // order, whichever costs less.
  MapResult in_an_order(std::vector<std::int32_t> leaves) const {
    MapResult result;
    result.leaf_of_rank.resize(matrix_.ranks());
    for (std::int32_t rank = 0; rank < matrix_.ranks(); ++rank) result.leaf_of_rank[rank] = leaves[order_[rank]];
    result.cost = mapping::mapping_cost(matrix_, mapping::LeafTree(tree_, leaves), order_, watch_);
    result.method = "bisection";
    MapResult natural = in_natural_order(std::move(leaves));
    return natural.cost <= result.cost ? natural : result;
  }

  // Places rank r on the r-th usable leaf below the vertex.
  MapResult in_order_below(std::int32_t top) const {
    std::vector<std::int32_t> leaves = leaves_below(top);
    leaves.resize(matrix_.ranks());
    return in_natural_order(std::move(leaves));
  }

  // Places rank r on the r-th of the leaves, of which there is one per rank.
  MapResult in_natural_order(std::vector<std::int32_t> leaves) const {
    std::vector<std::int32_t> slot(leaves.size());
    std::iota(slot.begin(), slot.end(), 0);
    MapResult result;
    result.cost = mapping::mapping_cost(matrix_, mapping::LeafTree(tree_, leaves), slot);
    result.leaf_of_rank = std::move(leaves);
    result.method = "natural";
    return result;
  }

  // Tries several sets of leaves with little work. Searches the best of them with all work and continues by annealing.
  void search_often(const std::vector<std::int32_t>& tops, bool wider) {
    const std::int64_t limit =
        of_units_ ? work_for_units_
                  : work_per_effort * options_.effort * (matrix_.ranks() <= most_ranks_with_twice_the_work ? 2 : 1);
    const std::int64_t end = wider ? limit + limit / 4 : limit;
    const bool many = matrix_.ranks() > most_ranks_annealed;
    const std::vector<RankUnits> units = wider ? std::vector<RankUnits>() : fitting_units();
    std::vector<Start> starts;
    if (many) starts = unit_starts(tops, units, limit * percent_for_one_size / 100);
    if (starts.empty()) {
      starts = quick_starts(
          tops, wider, wider ? end : limit * (units.empty() ? percent_for_quick_tries : percent_beside_units) / 100);
      if (!many) unit_starts(tops, units, limit * percent_for_units / 100);
    }
    if (starts.empty()) return;
    if (wider && static_cast<double>(starts.front().result.cost) > worth_refining * static_cast<double>(best_.cost))
      return;
    std::vector<std::int32_t> searched;
    std::int64_t last = 0;  // work that the last search took
    for (const Start& start : starts) {
      const std::int64_t before = work();
      if (options_.deadline.expired() || std::ssize(searched) == most_refined ||
          (!searched.empty() && before + last > end))
        break;
      // One set of leaves is searched in each subtree.
      if (std::find(searched.begin(), searched.end(), start.packing.top) != searched.end()) continue;
      searched.push_back(start.packing.top);
      const Packing& packing = start.packing;
      MapResult result = mapped(around(packing.top, packing.leaves), packing.leaves);
      if (!start.result.leaf_of_rank.empty() && start.result.cost <= result.cost) result = start.result;
      keep(result);
      if (matrix_.ranks() <= most_ranks_annealed * options_.effort / usual_effort) anneal_from(result, packing.top);
      last = work() - before;
    }
    if (!wider && tops.size() > 1 && !of_units_ && !many && options_.effort <= usual_effort)
      search_alone(starts, limit + limit / 2);
  }

  // Searches the best of several subtrees once more, each as if there were no other, as far as this ends within `end`
  // units of work.
  void search_alone(const std::vector<Start>& starts, std::int64_t end) {
    std::vector<std::int32_t> searched;
    std::int64_t last = end / 4;  // work that the last search took, or is expected to take
    for (const Start& start : starts) {
      const std::int64_t before = work();
      if (options_.deadline.expired() || before + last > end || searched.size() == most_searched_alone) return;
      if (static_cast<double>(start.result.cost) > worth_searching_alone * static_cast<double>(best_.cost)) return;
      if (start.result.leaf_of_rank.empty() ||
          std::find(searched.begin(), searched.end(), start.packing.top) != searched.end())
        continue;
      searched.push_back(start.packing.top);
      const std::vector<std::int32_t> below = leaves_below(start.packing.top);
      MapResult result = LevelSearch(matrix_, tree_, below, options_).run();
      work_of_portfolios_ += result.work;
      keep(std::move(result));
      last = work() - before;
    }
  }

  // Joins the ranks to units of several sizes, if the traffic suits that, the largest size first. Many ranks are joined
  // to the largest only, to save time.
  std::vector<RankUnits> fitting_units() const {
    std::vector<RankUnits> all;
    if (of_units_ || matrix_.pairs() > most_pairs_of_units * matrix_.ranks()) return all;
    const std::int32_t smallest = matrix_.ranks() <= most_ranks_annealed ? smallest_unit : largest_unit;
    for (std::int32_t size = largest_unit; size >= smallest; size /= 2) {
      if (4 * size > matrix_.ranks()) continue;
      if (std::optional<RankUnits> units = joined_to_units(matrix_, graph_, size, watch_))
        all.push_back(std::move(*units));
    }
    return all;
  }

  // Maps the units in place of ranks, one size after the other as long as this costs little more than the best mapping.
  // Keeps the best and returns a mapping of the ranks for each size that was tried.
  std::vector<Start> unit_starts(const std::vector<std::int32_t>& tops, const std::vector<RankUnits>& all,
                                 std::int64_t work) {
    std::vector<Start> starts;
    for (const RankUnits& units : all) {
      if (options_.deadline.expired() || !add_start(units, tops, work, starts)) continue;
      if (static_cast<double>(starts.back().result.cost) > worth_smaller_units * static_cast<double>(best_.cost)) break;
    }
    return starts;
  }

  // Maps the units below those vertices that have places enough for them. Returns whether it added a mapping.
  bool add_start(const RankUnits& units, const std::vector<std::int32_t>& tops, std::int64_t work,
                 std::vector<Start>& starts) {
    const std::vector<std::int32_t> places = places_of_units(tree_, usable_, units.size);
    watch_.spend(static_cast<std::int64_t>(usable_.size()));
    std::vector<std::int32_t> roomy = tops;
    std::erase_if(roomy, [&](std::int32_t top) {
      return count_below(tree_, places, top) < static_cast<std::size_t>(units.traffic.ranks());
    });
    if (roomy.empty()) return false;
    const MapResult of_units = LevelSearch(units, tree_, places, roomy, options_, work).run();
    work_of_portfolios_ += of_units.work;
    Start start;
    start.result.leaf_of_rank = leaves_of_ranks(units, usable_, of_units.leaf_of_rank);
    start.result.cost = tree_.hop_bytes(matrix_, start.result.leaf_of_rank);
    start.result.method = "units of " + std::to_string(units.size) + " ranks";
    keep(start.result);
    const std::int32_t first = start.result.leaf_of_rank.front();
    start.packing.top = *std::ranges::find_if(roomy, [&](std::int32_t top) {
      return first >= tree_.first_leaf(top) && first - tree_.first_leaf(top) < tree_.leaf_count(top);
    });
    start.packing.leaves = sorted(start.result.leaf_of_rank);
    anneal_from(start.result, start.packing.top);
    starts.push_back(std::move(start));
    return true;
  }

  // Maps the ranks to several sets of leaves with little work, until the work reaches `end`. Returns the mappings, best
  // first.
  std::vector<Start> quick_starts(const std::vector<std::int32_t>& tops, bool wider, std::int64_t end) {
    if (!model_) fit_model();
    std::vector<Packing> all = packings(tops);
    if (std::ssize(all) > tries(wider)) all.resize(tries(wider));
    while (!all.empty() && all.back().cost > worth_a_look * all.front().cost) all.pop_back();
    if (wider) {
      const double cost = model_->cost(tree_, sorted(best_.leaf_of_rank));
      while (!all.empty() && all.back().cost >= cost) all.pop_back();
    }
    const std::ptrdiff_t packed = std::ssize(all);
    add_groups(all, tops);
    std::rotate(all.begin(), all.begin() + packed, all.end());
    const bool by_order = matrix_.ranks() > most_ranks_annealed;
    std::vector<Start> starts;
    for (Packing& packing : all) {
      if (options_.deadline.expired() || (!starts.empty() && work() > end)) break;
      if (all.size() == 1 && !wider)
        starts.push_back({});
      else
        starts.push_back({by_order ? in_an_order(packing.leaves) : mapped(packing.leaves, packing.leaves, true), {}});
      starts.back().packing = std::move(packing);
      if (!starts.back().result.leaf_of_rank.empty()) keep(starts.back().result);
    }
    sort(starts);
    return starts;
  }

  std::int64_t work() const { return watch_.spent() + work_of_portfolios_; }

  static void sort(std::vector<Start>& starts) {
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& a, const Start& b) { return a.result.cost < b.result.cost; });
  }

  // Adds sets of leaves on which heavy groups of ranks are not divided, below the subtrees with the best estimates.
  void add_groups(std::vector<Packing>& all, const std::vector<std::int32_t>& tops) {
    if (!groups_) find_groups();
    if (groups_->empty()) return;
    std::vector<std::int32_t> best;
    for (const Packing& packing : all)
      if (std::find(best.begin(), best.end(), packing.top) == best.end()) best.push_back(packing.top);
    if (best.empty()) best = tops;
    if (best.size() > most_tops_for_groups) best.resize(most_tops_for_groups);
    const auto by_size = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    const auto largest = static_cast<std::int32_t>(std::max_element(groups_->begin(), groups_->end(), by_size)->size());
    for (const std::int32_t top : best) {
      const std::vector<std::int32_t> below = leaves_below(top);
      add(all, top,
          leaves_for_groups(matrix_, *groups_, tree_, around(top, packed_leaves(tree_, below, matrix_.ranks())),
                            watch_));
      add(all, top, fullest_subtrees(tree_, below, matrix_.ranks(), tree_.least_height_of(largest)));
    }
  }

  // Finds the heavy groups. They are used only if there are several and at least half of the ranks are in one of them.
  void find_groups() {
    groups_ = heavy_groups(matrix_);
    std::size_t members = 0;
    for (const std::vector<std::int32_t>& group : *groups_) members += group.size();
    if (groups_->size() == 1 || 2 * members < static_cast<std::size_t>(matrix_.ranks())) groups_->clear();
  }

  // Returns the sets of leaves below `tops` with the least estimated costs, best first, without those tried before.
  std::vector<Packing> packings(const std::vector<std::int32_t>& tops) {
    if (!packing_search_) packing_search_.emplace(tree_, usable_, *model_, watch_);
    std::vector<std::pair<double, std::int32_t>> candidates;  // a subtree of each class with its estimated cost
    std::vector<bool> seen(packing_search_->classes(), false);
    for (const std::int32_t top : tops) {
      const std::int32_t c = packing_search_->class_of(top);
      if (seen[c]) continue;
      seen[c] = true;
      candidates.emplace_back(packing_search_->least_cost_below(top), top);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::ptrdiff_t most = std::max<std::ptrdiff_t>(4, tries(false));
    if (std::ssize(candidates) > most) candidates.resize(most);
    std::vector<Packing> all;
    for (const auto& [cost, top] : candidates) {
      add(all, top, packing_search_->best_below(top));
      add(all, top, packed_leaves(tree_, leaves_below(top), matrix_.ranks()));
    }
    std::stable_sort(all.begin(), all.end(), [](const Packing& a, const Packing& b) { return a.cost < b.cost; });
    return all;
  }

  void add(std::vector<Packing>& all, std::int32_t top, std::vector<std::int32_t> leaves) {
    if (leaves.empty() || std::find(tried_.begin(), tried_.end(), leaves) != tried_.end()) return;
    watch_.spend(static_cast<std::int64_t>(8 * leaves.size()));
    const double cost = model_->cost(tree_, leaves);
    tried_.push_back(leaves);
    all.push_back({top, std::move(leaves), cost});
  }

  // Fits the cut model to a quick recursive bisection of the ranks into small parts.
  void fit_model() {
    if (matrix_.pairs() == std::int64_t{matrix_.ranks()} * (matrix_.ranks() - 1) / 2) {
      model_.emplace(matrix_.ranks(), CutModel::all_to_all);
      order_.resize(matrix_.ranks());
      std::iota(order_.begin(), order_.end(), 0);
      return;
    }
    std::vector<std::int32_t> arities;
    std::int32_t smallest = smallest_part_of_model;
    while (smallest * parts_of_model < matrix_.ranks()) smallest *= 2;
    std::int32_t leaves = smallest;
    for (; leaves < matrix_.ranks(); leaves *= 2) arities.push_back(2);
    arities.push_back(smallest);
    std::vector<std::int32_t> slots(matrix_.ranks());
    for (std::int32_t k = 0; k < matrix_.ranks(); ++k)
      slots[k] = static_cast<std::int32_t>(std::int64_t{k} * leaves / matrix_.ranks());
    const mapping::LeafTree halves(TreeTopology::balanced(arities), slots);
    order_ = multisection(graph_, halves, options_.seed, 1, watch_);
    model_.emplace(graph_, halves, order_, watch_);
  }

  void anneal_from(const MapResult& start, std::int32_t top) {
    const std::int64_t work = of_units_ ? work_for_units_ * percent_to_anneal_units / 100
                                        : annealing_per_effort * options_.effort *
                                              std::min(matrix_.ranks(), ranks_annealed_fully) / ranks_annealed_fully;
    const std::vector<std::int32_t> scope = around(top, sorted(start.leaf_of_rank));
    MapResult annealed;
    annealed.leaf_of_rank = start.leaf_of_rank;
    annealed.cost = anneal_on(matrix_, graph_, tree_, scope, annealed.leaf_of_rank, options_.seed, work, watch_);
    annealed.method = "annealing";
    if (annealed.cost < best_.cost) order_equal_branches(tree_, annealed.leaf_of_rank, watch_);
    keep(std::move(annealed));
  }

  MapResult mapped(std::vector<std::int32_t> scope, std::vector<std::int32_t> packed = {}, bool quickly = false) {
    MapResult result = map_by_portfolio(matrix_, tree_, std::move(scope), options_, std::move(packed), quickly);
    work_of_portfolios_ += result.work;
    return result;
  }

  void keep(MapResult result) {
    if (result.cost >= best_.cost) return;
    result.natural_cost = best_.natural_cost;
    best_ = std::move(result);
  }

  std::vector<std::int32_t> leaves_below(std::int32_t top) const {
    return placement::treematch::leaves_below(tree_, usable_, top);
  }

  // Returns the given leaves together with other usable leaves below the vertex, to which ranks may move.
  std::vector<std::int32_t> around(std::int32_t top, const std::vector<std::int32_t>& leaves) const {
    std::vector<std::int32_t> below = leaves_below(top);
    const std::size_t enough = 2 * leaves.size() + 64;
    if (below.size() <= 2 * enough) return below;
    below = packed_leaves(tree_, below, static_cast<std::int32_t>(enough));
    std::vector<std::int32_t> all;
    std::set_union(below.begin(), below.end(), leaves.begin(), leaves.end(), std::back_inserter(all));
    return all;
  }

  static std::vector<std::int32_t> sorted(std::vector<std::int32_t> leaves) {
    std::sort(leaves.begin(), leaves.end());
    return leaves;
  }

  const CommMatrix& matrix_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  MapOptions options_;
  const mapping::WorkBudget watch_;
  MapMemory memory_;
  const std::vector<std::int32_t> lowest_;  // the subtrees of the least height that have enough usable leaves
  const bool of_units_ = false;             // what is mapped are units of ranks
  const std::int64_t work_for_units_ = 0;   // units of work for that
  mapping::Graph graph_;
  std::vector<std::int32_t> order_;  // number of each rank in the order of the parts that the model is fitted to
  std::optional<CutModel> model_;
  std::optional<std::vector<std::vector<std::int32_t>>> groups_;
  std::optional<PackingSearch> packing_search_;
  std::vector<std::vector<std::int32_t>> tried_;
  std::int64_t work_of_portfolios_ = 0;
  MapResult best_;
};

}  // namespace

MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options) {
  return LevelSearch(matrix, tree, usable, options).run();
}

}  // namespace placement::treematch

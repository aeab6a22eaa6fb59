// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mapping/work_budget.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/leaf_sets.hpp"
#include "treematch/packing.hpp"
#include "treematch/portfolio.hpp"
#include "treematch/rank_structure.hpp"
#include "treematch/subtree_search.hpp"

namespace placement::treematch {

namespace {

// Limits of the work, in units; with the usual effort 100,000 units take some 0.5 ms.
constexpr std::int64_t work_per_effort = 90'000;  // of one search
constexpr std::int32_t most_ranks_with_twice_the_work = 256;
constexpr std::int64_t work_on_subtrees_per_effort = 500'000;  // of the searches of several subtrees together
constexpr std::int64_t percent_for_wider_scope = 25;           // of the work of one search
constexpr std::int64_t percent_for_units = 20;                 // of the work of one search, for each size of units
constexpr std::int64_t percent_for_units_in_subtree = 5;
constexpr std::int64_t percent_for_units_of_many = 15;
constexpr std::int64_t annealing_per_effort = 12'000;
constexpr std::int64_t annealing_in_subtree_per_effort = 3'000;
constexpr std::int32_t ranks_annealed_fully = 64;   // with fewer ranks the work is less, in proportion
constexpr std::int64_t annealing_of_exchanges = 4;  // times that work where no usable leaf is free

// Which of several subtrees are searched, when there is time for all:
//   worth_searching  those whose estimated cost is at most this multiple of the least estimate; up to
//   most_ranks_on_each
//                    ranks, whose traffic a model tells less about, all of them
//   enough_alike     of those with equal estimates, this many, if the mappings below these have equal costs
constexpr double worth_searching = 1.05;
constexpr std::int32_t most_ranks_on_each = 32;
constexpr std::int32_t enough_alike = 5;

// For more than 512 ranks:
//   worth_a_try  a wider scope is searched if its estimated cost is below this fraction of that so far
constexpr double worth_a_try = 0.99;
constexpr std::int32_t most_ranks_tried_twice = 2048;

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
        structure_watch_(options.deadline),
        structure_(matrix, options.seed, structure_watch_),
        lowest_(lowest_subtrees(tree, usable, matrix.ranks())) {
    if (options_.memory == nullptr) options_.memory = &memory_;
  }

  MapResult run() {
    try {
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
        if (few_ranks()) search_fullest(tops);
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
  bool few_ranks() const { return matrix_.ranks() <= most_ranks_searched_often; }

  // Whether the vertices `tops` have no other usable leaves than the vertices `narrower`, one by one.
  bool have_equal_leaves(const std::vector<std::int32_t>& tops, const std::vector<std::int32_t>& narrower) const {
    return std::ranges::equal(tops, narrower, [&](std::int32_t a, std::int32_t b) {
      return a == b || count_below(tree_, usable_, a) == count_below(tree_, usable_, b);
    });
  }

  void search_below(const std::vector<std::int32_t>& tops, bool wider) {
    if (wider) keep(in_order_below(tops.front()));
    if (few_ranks()) {
      if (!wider)
        search_each(tops);
      else if (usable_.size() > static_cast<std::size_t>(matrix_.ranks()))
        search_wider(tops);
      return;
    }
    if (!wider || usable_.size() == static_cast<std::size_t>(matrix_.ranks())) return;
    // A wider scope is searched only if it has a set of leaves with a lower estimated cost.
    const double cost = sets_->cost(sorted(best_.leaf_of_rank));
    const std::vector<LeafSet> all = sets_->packings(tops, most_subtrees());
    if (!all.empty() && all.front().cost < worth_a_try * cost)
      keep(mapped(leaves_near(tree_, usable_, all.front().top, all.front().leaves), all.front().leaves));
  }

  // Searches the subtrees one after the other, each as if there were no other, so that the result costs no more than on
  // any of them. Those with the least estimates come first, because the work of all together has a limit.
  void search_each(const std::vector<std::int32_t>& tops) {
    if (tops.size() == 1) {
      search_alone(tops.front(), leaves_below(tree_, usable_, tops.front()));
      return;
    }
    const std::int64_t end = work() + work_on_subtrees_per_effort * options_.effort;
    std::int64_t last = 0;  // work that the last search took
    Alike alike;
    const std::vector<Subtree> subtrees = worth_searching_alone(tops);
    for (const Subtree& subtree : subtrees) keep(in_order_below(subtree.top));
    for (const Subtree& subtree : subtrees) {
      const std::int64_t before = work();
      if (options_.deadline.expired() || before + last / 2 > end) return;
      if (subtree.estimate == alike.estimate && alike.count >= enough_alike) continue;
      alike.add(subtree.estimate, search_alone(subtree.top, leaves_below(tree_, usable_, subtree.top)));
      last = work() - before;
    }
  }

  struct Subtree {
    double estimate = 0;
    std::int32_t top = 0;
  };

  // Counts mappings below subtrees with equal estimates as long as their costs are equal, too.
  struct Alike {
    double estimate = -1;
    Cost cost = 0;
    std::int32_t count = 0;

    void add(double new_estimate, Cost new_cost) {
      if (new_estimate != estimate)
        count = 1;
      else if (count > 0)
        count = new_cost == cost ? count + 1 : 0;  // once they differ, none is left out
      estimate = new_estimate;
      cost = new_cost;
    }
  };

  // Returns the subtrees that are worth a search, those with the least estimates first. Of subtrees of one class, on
  // which mappings have equal costs, there is one.
  std::vector<Subtree> worth_searching_alone(const std::vector<std::int32_t>& tops) {
    std::vector<Subtree> subtrees;
    PackingSearch packing(tree_, usable_, structure_.model(), watch_);
    std::vector<bool> seen(packing.classes(), false);
    for (const std::int32_t top : tops) {
      const std::int32_t of = packing.class_of(top);
      if (seen[of]) continue;
      seen[of] = true;
      double estimate = packing.least_cost_below(top) + cost_of_links_to_leaves(top);
      if (std::isinf(estimate))  // there are too few whole portions of ranks
        estimate =
            structure_.model().cost(tree_, packed_leaves(tree_, leaves_below(tree_, usable_, top), matrix_.ranks()));
      subtrees.push_back({estimate, top});
    }
    std::ranges::stable_sort(subtrees, {}, &Subtree::estimate);
    if (matrix_.ranks() <= most_ranks_on_each) return subtrees;
    const double most = worth_searching * subtrees.front().estimate;
    while (subtrees.back().estimate > most) subtrees.pop_back();
    return subtrees;
  }

  // Returns the hop-bytes that the model expects on the links to the leaves below the vertex. PackingSearch leaves them
  // out, as they are the same for all sets of leaves.
  double cost_of_links_to_leaves(std::int32_t top) {
    const std::int32_t leaf = tree_.leaf_vertex(tree_.first_leaf(top));
    const auto length = static_cast<double>(tree_.position(leaf) - tree_.position(tree_.parent(leaf)));
    return length * matrix_.ranks() * structure_.model().cut(1);
  }

  // Searches these leaves, which are below the vertex, as if no others were usable. What is found depends on nothing
  // else, therefore the tree is cut down to them.
  // Returns the cost.
  Cost search_alone(std::int32_t top, std::vector<std::int32_t> leaves) {
    if (top == 0) {
      const std::vector<std::int32_t> tops{top};
      return keep_search(search_subtrees(matrix_, structure_, tree_, leaves, tops, options_, limits(top),
                                         natural_order_on(matrix_, tree_, first_of(leaves)), false));
    }
    watch_.spend(static_cast<std::int64_t>(16 * leaves.size()));
    std::vector<std::int32_t> vertices;
    for (const std::int32_t leaf : leaves) vertices.push_back(tree_.leaf_vertex(leaf));
    const TreeTopology part = tree_.cut_at(vertices);
    std::vector<std::int32_t> all(leaves.size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::int32_t> tops{
        part.lowest_common_ancestor(part.leaf_vertex(0), part.leaf_vertex(all.back()))};
    MapResult result = recalled_or(part, [&] {
      return search_subtrees(matrix_, structure_, part, all, tops, options_, limits(top),
                             natural_order_on(matrix_, part, first_of(all)), false);
    });
    for (std::int32_t& leaf : result.leaf_of_rank) leaf = leaves[leaf];
    return keep_search(std::move(result));
  }

  // Returns the mapping that an earlier search on a tree equal to `part` found. Where there is none, searches it and
  // keeps it in the memory.
  MapResult recalled_or(const TreeTopology& part, const std::function<MapResult()>& search) {
    std::vector<std::int32_t> detail;
    detail.reserve(static_cast<std::size_t>(3) * part.vertices());
    for (std::int32_t v = 0; v < part.vertices(); ++v) {
      detail.push_back(part.parent(v));
      add_number(detail, part.position(v));
    }
    watch_.spend(part.vertices());
    if (const auto same = options_.memory->find(options_.effort, {}, detail))
      return {.leaf_of_rank = same->slot, .cost = same->cost, .method = same->method, .work = same->work};
    MapResult result = search();
    if (!options_.deadline.expired())
      options_.memory->keep(
          {options_.effort, {}, std::move(detail), result.leaf_of_rank, result.cost, result.method, result.work});
    return result;
  }

  // Searches the fullest subtrees of a height as if no other leaves were usable, wherever they are: those just below
  // the subtrees of the least height. Groups of ranks that heavy pairs join may fit into subtrees further below, such
  // as leaf switches. So these are searched, too, where there are groups.
  void search_fullest(const std::vector<std::int32_t>& tops) {
    const std::int32_t below = tree_.height(lowest_.front()) - 1;
    if (options_.deadline.expired()) return;
    const bool groups = !structure_.groups().empty();
    for (std::int32_t height = below; height >= 1; --height)
      if (groups || (height == below && matrix_.ranks() <= most_ranks_with_twice_the_work))
        search_fullest_of(height, tops);
  }

  // They are searched at the first level with a subtree that has all of them. A single subtree that suffices has been
  // offered alone, with all its leaves.
  void search_fullest_of(std::int32_t height, const std::vector<std::int32_t>& tops) {
    const bool one = lowest_.size() == 1 && lowest_.front() != 0;
    if (std::ranges::count(fullest_searched_, height) > 0 || options_.deadline.expired()) return;
    if (one && tops == lowest_) return;
    watch_.spend(static_cast<std::int64_t>(4 * usable_.size()));
    std::vector<std::int32_t> leaves = all_of_fullest(height);
    const auto has_all = [&](std::int32_t v) { return all_below(tree_, leaves, v); };
    if (!std::ranges::any_of(tops, has_all)) return;
    fullest_searched_.push_back(height);
    const std::int32_t top =
        tree_.lowest_common_ancestor(tree_.leaf_vertex(leaves.front()), tree_.leaf_vertex(leaves.back()));
    if (!(one && has_all(lowest_.front())) && leaves.size() < count_below(tree_, usable_, top))
      search_alone(top, std::move(leaves));
  }

  // Returns all usable leaves of the fullest subtrees of a height, as many subtrees as the ranks need.
  std::vector<std::int32_t> all_of_fullest(std::int32_t height) const {
    std::vector<std::int32_t> chosen;
    for (const std::int32_t leaf : fullest_subtrees(tree_, usable_, matrix_.ranks(), height)) {
      if (!chosen.empty() && leaf <= chosen.back()) continue;
      std::int32_t vertex = tree_.leaf_vertex(leaf);
      while (vertex > 0 && tree_.height(vertex) < height) vertex = tree_.parent(vertex);
      const std::vector<std::int32_t> below = leaves_below(tree_, usable_, vertex);
      chosen.insert(chosen.end(), below.begin(), below.end());
    }
    return chosen;
  }

  void search_wider(const std::vector<std::int32_t>& tops) {
    SearchLimits wider = limits(0);
    wider.work = wider.work * percent_for_wider_scope / 100;
    wider.units = 0;
    keep_search(search_subtrees(matrix_, structure_, tree_, usable_, tops, options_, wider, best_, true));
  }

  // Returns the limits of the search below one vertex. Where several subtrees may have to be searched, each gets less.
  SearchLimits limits(std::int32_t top) const {
    const bool many = matrix_.ranks() > most_ranks_with_twice_the_work;
    const std::int64_t percent = many       ? percent_for_units_of_many
                                 : top == 0 ? percent_for_units
                                            : percent_for_units_in_subtree;
    SearchLimits limits;
    limits.work = work_per_effort * options_.effort * (many ? 1 : 2);
    limits.units = limits.work * percent / 100;
    limits.annealing = (top == 0 ? annealing_per_effort : annealing_in_subtree_per_effort) * options_.effort *
                       std::min(matrix_.ranks(), ranks_annealed_fully) / ranks_annealed_fully;
    limits.anneal_exchanges = options_.anneal_exchanges && usable_.size() == static_cast<std::size_t>(matrix_.ranks());
    if (limits.anneal_exchanges) limits.annealing *= annealing_of_exchanges;
    return limits;
  }

  // Returns the best mapping on the sets of leaves with the least estimated cost. Used for many ranks, where it would
  // take too long to try many sets of leaves.
  MapResult of_best_estimate(const std::vector<std::int32_t>& tops) {
    model_.emplace(matrix_.ranks(), CutModel::halo_exchange);
    sets_.emplace(tree_, usable_, *model_, watch_);
    const std::vector<LeafSet> all = sets_->packings(tops, most_subtrees());
    MapResult first = mapped(leaves_near(tree_, usable_, all.front().top, all.front().leaves), all.front().leaves);
    const std::ptrdiff_t least = options_.effort < usual_effort || matrix_.ranks() > most_ranks_tried_twice ? 1 : 2;
    const std::ptrdiff_t most = std::max(least, sets_of_leaves_tried(matrix_.ranks(), options_.effort) / 2);
    for (std::ptrdiff_t k = 1; k < std::min(std::ssize(all), most) && !options_.deadline.expired(); ++k) {
      MapResult other = mapped(leaves_near(tree_, usable_, all[k].top, all[k].leaves), all[k].leaves);
      if (other.cost < first.cost) first = std::move(other);
    }
    return first;
  }

  std::ptrdiff_t most_subtrees() const {
    return std::max<std::ptrdiff_t>(4, sets_of_leaves_tried(matrix_.ranks(), options_.effort));
  }

  // Places rank r on the r-th usable leaf below the vertex.
  MapResult in_order_below(std::int32_t top) const {
    return natural_order_on(matrix_, tree_, first_of(leaves_below(tree_, usable_, top)));
  }

  // Returns the first of the leaves, one per rank.
  std::vector<std::int32_t> first_of(std::vector<std::int32_t> leaves) const {
    leaves.resize(matrix_.ranks());
    return leaves;
  }

  MapResult mapped(std::vector<std::int32_t> scope, std::vector<std::int32_t> packed = {}) {
    MapResult result = map_by_portfolio(matrix_, tree_, std::move(scope), options_, std::move(packed));
    work_of_searches_ += result.work;
    return result;
  }

  Cost keep_search(MapResult result) {
    const Cost cost = result.cost;
    work_of_searches_ += result.work;
    keep(std::move(result));
    return cost;
  }

  void keep(MapResult result) {
    if (result.cost < best_.cost) best_ = std::move(result);
  }

  std::int64_t work() const { return watch_.spent() + work_of_searches_; }

  static std::vector<std::int32_t> sorted(std::vector<std::int32_t> leaves) {
    std::sort(leaves.begin(), leaves.end());
    return leaves;
  }

  const CommMatrix& matrix_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  MapOptions options_;
  const mapping::WorkBudget watch_;
  const mapping::WorkBudget structure_watch_;  // not part of work(): searches that are recalled do not need all of it
  RankStructure structure_;
  MapMemory memory_;
  const std::vector<std::int32_t> lowest_;  // the subtrees of the least height that have enough usable leaves
  std::optional<CutModel> model_;           // for many ranks
  std::optional<LeafSets> sets_;
  std::vector<std::int32_t> fullest_searched_;  // heights
  std::int64_t work_of_searches_ = 0;
  MapResult best_;
};

}  // namespace

MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options) {
  return LevelSearch(matrix, tree, usable, options).run();
}

}  // namespace placement::treematch

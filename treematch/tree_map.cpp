// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/greedy.hpp"
#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/annealing.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/map_memory.hpp"
#include "treematch/portfolio.hpp"
#include "treematch/subtree_search.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

// Maps the ranks by the searches of a table, and keeps the best mapping.
class TreeMapper {
 public:
  TreeMapper(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
             const MapOptions& options, bool sparse = false)
      : matrix_(matrix),
        tree_(tree),
        usable_(usable),
        options_(options),
        most_effort_(options.effort),
        sparse_(sparse),
        scope_(leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up)),
        best_(measured(matrix, tree, {scope_.begin(), scope_.begin() + matrix.ranks()}, natural)) {}

  // Runs the table, and then orders equal branches, which shortens MPI's map at equal cost.
  MapResult run() {
    if (matrix_.pairs() == 0) return std::move(best_);
    if (matrix_.pairs() <= most_pairs_mapped_quickly)
      keep(measured(matrix_, tree_, mapping::greedy_leaves(mapping::scaled_graph(matrix_), tree_, scope_), "greedy"));
    try {
      search();
      if (best_.method != natural && !sparse_)
        order_equal_branches(tree_, best_.leaf_of_rank, mapping::WorkBudget(options_.deadline));
    } catch (const mapping::OutOfTime&) {
    }
    return std::move(best_);
  }

 private:
  struct Search {
    const char* name;
    bool (*applies)(const TreeMapper&);
    std::int64_t (*work)(const TreeMapper&);  // in units of about one arc
    void (TreeMapper::*run)(std::int64_t work);
  };
  static const Search searches[5];

  bool limited() const { return options_.work_limit > 0; }
  bool more_effort() const { return !limited() && options_.effort > usual_effort; }
  bool given() const { return options_.scope == LeafScope::given; }

  // Runs the table with the usual effort, and then repeatedly with four times the effort, up to that of the options.
  void search() {
    options_.effort = limited() ? most_effort_ : std::min(most_effort_, usual_effort);
    for (;; options_.effort = std::min(effort_factor * options_.effort, most_effort_)) {
      for (const Search& search : searches) {
        if (best_.optimal || options_.deadline.expired()) return;
        if (search.applies(*this)) (this->*search.run)(search.work(*this));
      }
      if (options_.effort == most_effort_) return;
    }
  }

  // Maps the ranks by a sparsified matrix.
  void sparsified(std::int64_t pairs) {
    MapOptions options = options_;
    options.memory = nullptr;  // options_.memory belongs to the whole matrix
    options.effort = std::min(options.effort, effort_if_sparsified);
    const mapping::WorkBudget watch(options.deadline);
    const auto per_rank = static_cast<std::int32_t>(std::max<std::int64_t>(1, pairs / matrix_.ranks()));
    const CommMatrix some = mapping::sparsified(matrix_, per_rank, options.seed, watch);
    MapResult result = TreeMapper(some, tree_, usable_, options, true).run();
    watch.look();  // an unfinished mapping of some pairs may cost more with all pairs
    keep(measured(matrix_, tree_, std::move(result.leaf_of_rank), result.method + " of the sparsified matrix"));
  }

  // Searches for the optimum in at most `steps` steps.
  void exactly(std::int64_t steps) {
    const mapping::WorkBudget watch(options_.deadline);
    watch.spend(tree_.vertices());
    bool narrower = false;
    auto exact =
        exact_mapping(matrix_, tree_, usable_, options_.scope, options_.levels_up, {}, steps, watch, &narrower);
    if (!exact) return;
    keep(measured(matrix_, tree_, *std::move(exact), "exact search"));
    best_.optimal = !narrower;
  }

  void on_given(std::int64_t) {
    keep(mapped_alone(SearchAlone::given, tree_, scope_, options_, mapping::WorkBudget(options_.deadline),
                      [&](const TreeTopology& part, std::vector<std::int32_t> leaves) {
                        return map_by_portfolio(matrix_, part, std::move(leaves), options_);
                      }));
  }
  void in_subtrees(std::int64_t work) {
    MapResult found = search_levels(matrix_, tree_, usable_, options_, work);
    if (!found.leaf_of_rank.empty()) keep(std::move(found));
  }

  // Anneals the best mapping among the leaves around it that the scope admits.
  void anneal_long(std::int64_t work) {
    const mapping::WorkBudget watch(options_.deadline);
    std::vector<std::int32_t> scope = leaves_around(best_.leaf_of_rank.front());
    if (scope.empty()) return;
    if (const std::int32_t most = most_in_annealing_table / matrix_.ranks(); std::ssize(scope) > most) {
      scope = packed_leaves(tree_, scope, most);
      scope.insert(scope.end(), best_.leaf_of_rank.begin(), best_.leaf_of_rank.end());
      std::ranges::sort(scope);
      scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    }
    MapResult result{best_.leaf_of_rank, 0, "annealing"};
    result.cost = anneal_on(matrix_, mapping::scaled_graph(matrix_, watch), tree_, scope, result.leaf_of_rank,
                            options_.seed, work, watch);
    if (result.cost < best_.cost) keep(std::move(result));
  }

  // Returns the usable leaves that the scope, `subtree` or `whole`, admits around the leaf. With `subtree`, they are
  // below the sufficient subtree of the leaf, or below its ancestor.
  std::vector<std::int32_t> leaves_around(std::int32_t leaf) const {
    if (options_.scope == LeafScope::whole) return scope_;
    for (const std::int32_t top :
         ancestors(tree_, lowest_subtrees(tree_, usable_, matrix_.ranks()), options_.levels_up))
      if (leaf >= tree_.first_leaf(top) && leaf < tree_.first_leaf(top) + tree_.leaf_count(top))
        return leaves_below(tree_, usable_, top);
    return {};
  }

  // Keeps the mapping if it costs less. A tie replaces any mapping except the natural order.
  void keep(MapResult result) {
    result.work += best_.work;
    best_.work = result.work;
    if (result.cost > best_.cost || (result.cost == best_.cost && best_.method == natural)) return;
    best_ = std::move(result);
  }

  static constexpr const char* natural = "natural";

  const CommMatrix& matrix_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  MapOptions options_;  // with the effort of this round
  const std::int32_t most_effort_;
  const bool sparse_;  // the matrix is a sparsified one
  const std::vector<std::int32_t> scope_;
  MapResult best_;
};

// From cheap to expensive, after the natural order and the greedy mapping. doc/mapping.md explains what each row costs
// and gains.
const TreeMapper::Search TreeMapper::searches[5] = {
    {"sparsified matrix",
     [](const TreeMapper& m) {
       return m.matrix_.pairs() > most_pairs_mapped_quickly && !m.matrix_.all_alike() && !m.sparse_ && !m.limited() &&
              !m.more_effort();
     },
     [](const TreeMapper&) { return sparsified_pairs; }, &TreeMapper::sparsified},
    {"exact search", [](const TreeMapper& m) { return m.matrix_.ranks() <= most_ranks_mapped_exactly; },
     [](const TreeMapper& m) {
       return m.limited() ? m.options_.work_limit
                          : std::min(m.options_.most_exact_steps, exact_steps_per_effort * m.options_.effort);
     },
     &TreeMapper::exactly},
    {"leaves that are given", [](const TreeMapper& m) { return m.given(); },
     [](const TreeMapper&) { return INT64_C(0); }, &TreeMapper::on_given},
    {"subtrees", [](const TreeMapper& m) { return !m.given(); },
     [](const TreeMapper& m) { return work_on_subtrees_per_effort * m.options_.effort; }, &TreeMapper::in_subtrees},
    {"annealing",
     [](const TreeMapper& m) { return m.more_effort() && !m.given() && m.matrix_.ranks() <= most_ranks_annealed_long; },
     [](const TreeMapper& m) { return long_annealing_per_rank * m.matrix_.ranks() * m.options_.effort; },
     &TreeMapper::anneal_long},
};

}  // namespace

MapResult map_to_tree(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                      const MapOptions& options) {
  check_usable(tree, usable, matrix.ranks());
  if (matrix.ranks() == 0) return {.leaf_of_rank = {}, .cost = 0, .method = "natural"};
  return TreeMapper(matrix, tree, usable, options).run();
}

}  // namespace placement::treematch

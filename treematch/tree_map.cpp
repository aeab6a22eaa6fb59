// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "treematch/canonical.hpp"
#include "treematch/graph.hpp"
#include "treematch/greedy.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/leaf_tree.hpp"
#include "treematch/mapping_check.hpp"
#include "treematch/multisection.hpp"
#include "treematch/swap_search.hpp"

namespace placement {

namespace {

// The portfolio: mappings found in different ways, of which the best stays.
class Portfolio {
 public:
  Portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> scope,
            const MapOptions& options)
      : matrix_(matrix), whole_tree_(tree), scope_(std::move(scope)), options_(options),
        graph_(scaled_graph(matrix)), tree_(tree, scope_) {}

  MapResult run() {
    natural();
    offer(greedy_mapping(graph_, tree_), "greedy");
    split_and_search();
    for (std::int32_t& slot : best_) slot = tree_.leaf(slot);
    result_.leaf_of_rank = std::move(best_);
    return std::move(result_);
  }

 private:
  void natural() {
    best_.resize(matrix_.ranks());
    for (std::int32_t rank = 0; rank < matrix_.ranks(); ++rank) best_[rank] = rank;
    result_.cost = result_.natural_cost = mapping_cost(matrix_, tree_, best_);
    result_.method = "natural";
  }

  void split_and_search() {
    const std::vector<std::int32_t> packed =
        packed_leaves(whole_tree_, scope_, matrix_.ranks());
    const std::int64_t work = options_.work_limit > 0 ? options_.work_limit : default_work();
    std::vector<std::int32_t> slot =
        multisection(graph_, LeafTree(whole_tree_, packed), options_.seed, work, options_.deadline);
    for (std::int32_t& s : slot)
      s = static_cast<std::int32_t>(std::lower_bound(scope_.begin(), scope_.end(), packed[s]) -
                                    scope_.begin());
    swap_search(graph_, tree_, slot, work / 2, options_.deadline);
    offer(std::move(slot), "multisection");
    slot = best_;
    swap_search(graph_, tree_, slot, work / 2, options_.deadline);
    offer(std::move(slot), result_.method + ", refined");
  }

  // What keeps 4,096 ranks within 50 ms.
  std::int64_t default_work() const { return 500 * static_cast<std::int64_t>(matrix_.ranks()); }

  // Keeps a mapping that is better than all before.
  void offer(std::vector<std::int32_t> slot, const std::string& method) {
    const Cost cost = mapping_cost(matrix_, tree_, slot);
    if (cost >= result_.cost) return;
    result_.cost = cost;
    result_.method = method;
    best_ = std::move(slot);
  }

  const CommMatrix& matrix_;
  const TreeTopology& whole_tree_;
  const std::vector<std::int32_t> scope_;  // usable leaves that the scope admits
  const MapOptions& options_;
  const Graph graph_;
  const LeafTree tree_;  // over scope_
  std::vector<std::int32_t> best_;  // slot of each rank in tree_
  MapResult result_;
};

}  // namespace

MapResult map_to_tree(const CommMatrix& matrix, const TreeTopology& tree,
                      std::span<const std::int32_t> usable, const MapOptions& options) {
  check_usable(tree, usable, matrix.ranks());
  if (matrix.ranks() == 0) return {.leaf_of_rank = {}, .cost = 0, .natural_cost = 0, .method = "natural"};
  MapResult result =
      Portfolio(matrix, tree,
                leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up),
                options)
          .run();
  order_equal_branches(tree, result.leaf_of_rank);
  return result;
}

}  // namespace placement

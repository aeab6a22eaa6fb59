// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/level_search.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/mapping_check.hpp"
#include "mapping/swap_search.hpp"
#include "mapping/watch.hpp"
#include "treematch/annealing.hpp"
#include "treematch/canonical.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/packing.hpp"
#include "treematch/portfolio.hpp"

namespace placement {

namespace {

// How much is tried: with the usual effort 512 ranks are placed within 5 ms.
constexpr double worth_a_try = 0.99;  // estimated cost over that of what was found, where a try takes long
constexpr std::int32_t most_ranks_tried_often = 256;
constexpr std::int32_t most_ranks_tried_twice = 2048;
constexpr std::int64_t annealing_per_effort = 12'000;
constexpr std::size_t leaves_searched_per_rank = 64;

// Chooses leaves and places ranks on them, level by level from the lowest subtrees that have enough leaves
// up to those that the scope admits. What a lower level found is kept, so that a wider scope never costs more.
class LevelSearch {
 public:
  LevelSearch(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable, const MapOptions& options)
      : matrix_(matrix), tree_(tree), usable_(usable), options_(options), watch_(options.deadline) {
    if (options_.memory == nullptr) options_.memory = &memory_;
    std::int32_t height = tree.least_height_of(matrix.ranks());
    while ((lowest_ = subtrees_with_enough(tree, usable, matrix.ranks(), height)).empty()) ++height;
  }

  MapResult run() {
    try {
      best_ = few_ranks() ? mapped(leaves_below(lowest_.front())) : of_best_estimate(lowest_);
      graph_ = scaled_graph(matrix_, watch_);
      std::vector<std::int32_t> narrower;
      for (std::int32_t up = 0; !options_.deadline.expired(); ++up) {
        const std::vector<std::int32_t> tops = ancestors(tree_, lowest_, up);
        if (!have_equal_leaves(tops, narrower)) search_below(tops, up > 0);
        narrower = tops;
        if (tops.front() == 0 || (options_.scope == LeafScope::subtree && up >= options_.levels_up)) break;
      }
    } catch (const OutOfTime&) {
      if (best_.leaf_of_rank.empty()) best_ = mapped(leaves_below(lowest_.front()));
    }
    return best_;
  }

 private:
  struct Start {
    MapResult result;
    std::vector<std::int32_t> scope;  // leaves to which ranks may move
  };

  struct Packing {
    std::int32_t top;
    std::vector<std::int32_t> leaves;
    double cost;  // estimated
  };

  bool few_ranks() const { return matrix_.ranks() <= most_ranks_tried_often; }

  // Whether each of the vertices `tops` is one of `narrower` or its ancestor without other usable leaves.
  bool have_equal_leaves(const std::vector<std::int32_t>& tops, const std::vector<std::int32_t>& narrower) const {
    return std::ranges::equal(tops, narrower, [&](std::int32_t a, std::int32_t b) {
      return a == b || leaves_below(a).size() == leaves_below(b).size();
    });
  }

  // Number of sets of leaves that are tried.
  std::ptrdiff_t tries(bool wider) const {
    const std::int64_t tries = 1024LL * options_.effort / usual_effort / matrix_.ranks();
    return std::max<std::ptrdiff_t>(1, wider ? tries / 2 : tries);
  }

  // Many ranks take too long to try many sets of leaves.
  MapResult of_best_estimate(const std::vector<std::int32_t>& tops) {
    model_.emplace(matrix_.ranks());
    const std::vector<Packing> all = packings(tops);
    MapResult first = mapped(around(all.front().top, all.front().leaves), all.front().leaves);
    const std::ptrdiff_t most = options_.effort < usual_effort || matrix_.ranks() > most_ranks_tried_twice || matrix_.ranks() <= 512 ? 1 : 2;
    for (std::ptrdiff_t k = 1; k < std::min(std::ssize(all), std::max(most, tries(false) / 2)) && !options_.deadline.expired(); ++k) {
      MapResult other = mapped(around(all[k].top, all[k].leaves), all[k].leaves);
      if (other.cost < first.cost) first = std::move(other);
    }
    return first;
  }

  void search_below(const std::vector<std::int32_t>& tops, bool wider) {
    keep(in_order_below(tops.front()));
    if (usable_.size() == static_cast<std::size_t>(matrix_.ranks())) return;
    if (few_ranks()) return search_often(tops, wider);
    if (!wider) return;
    // The wider scope is worth a search where it has a better set of leaves.
    const double cost = model_->cost(tree_, sorted(best_.leaf_of_rank));
    for (const Packing& packing : packings(tops)) {
      if (packing.cost < worth_a_try * cost) keep(mapped(around(packing.top, packing.leaves), packing.leaves));
      return;
    }
  }

  // Rank r on the r-th leaf below the vertex.
  MapResult in_order_below(std::int32_t top) const {
    MapResult result;
    result.leaf_of_rank = leaves_below(top);
    result.leaf_of_rank.resize(matrix_.ranks());
    result.cost = tree_.hop_bytes(matrix_, result.leaf_of_rank);
    result.method = "natural";
    return result;
  }

  void search_often(const std::vector<std::int32_t>& tops, bool wider) {
    if (wider && tops.size() == 1 && usable_.size() <= leaves_searched_per_rank * matrix_.ranks())
      keep(mapped(leaves_below(tops.front())));
    if (!model_) fit_model();
    std::vector<Packing> all = packings(tops);
    if (std::ssize(all) > tries(wider)) all.resize(tries(wider));
    std::vector<Start> starts;
    // All with little work, and the best ones with all of it.
    std::vector<std::pair<Cost, std::size_t>> order;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (options_.deadline.expired()) return;
      MapResult quick = mapped(all[k].leaves, all[k].leaves, true);
      order.emplace_back(quick.cost, k);
      keep(std::move(quick));
    }
    std::sort(order.begin(), order.end());
    order.resize(std::min<std::size_t>(order.size(), std::max<std::ptrdiff_t>(1, std::ssize(order) / 3)));
    for (const auto& [cost, k] : order) {
      if (options_.deadline.expired()) return;
      std::vector<std::int32_t> scope = around(all[k].top, all[k].leaves);
      starts.push_back({mapped(scope, all[k].leaves), std::move(scope)});
      keep(starts.back().result);
    }
    anneal_from(std::move(starts), tops);
  }

  // The packings that are estimated to cost least, each once.
  std::vector<Packing> packings(const std::vector<std::int32_t>& tops) {
    if (!packing_search_) packing_search_.emplace(tree_, usable_, *model_, watch_);
    std::vector<Packing> all;
    std::vector<std::int32_t> seen;
    for (const std::int32_t top : tops) {
      const std::int32_t c = packing_search_->class_of(top);
      if (std::find(seen.begin(), seen.end(), c) != seen.end()) continue;
      seen.push_back(c);
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

  // To the first mapping.
  void fit_model() {
    const std::vector<std::int32_t> leaves = sorted(best_.leaf_of_rank);
    model_.emplace(graph_, LeafTree(tree_, leaves), slots_in(leaves, best_.leaf_of_rank), watch_);
  }

  // The best mapping so far, if it lies below one of the vertices, and the best ones on other leaves.
  void anneal_from(std::vector<Start> starts, const std::vector<std::int32_t>& tops) {
    const std::vector<std::int32_t> occupied = sorted(best_.leaf_of_rank);
    for (const std::int32_t top : tops) {
      const std::int32_t first = tree_.first_leaf(top);
      if (occupied.front() >= first && occupied.back() < first + tree_.leaf_count(top))
        starts.push_back({best_, around(top, occupied)});
    }
    std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.result.cost < b.result.cost; });
    std::vector<Cost> costs;
    for (const Start& start : starts) {
      if (std::ssize(costs) == std::max<std::ptrdiff_t>(1, std::min<std::ptrdiff_t>(tries(false) / 3, 8))) break;
      if (std::find(costs.begin(), costs.end(), start.result.cost) != costs.end()) continue;
      costs.push_back(start.result.cost);
      anneal_from(start);
    }
  }

  void anneal_from(const Start& start) {
    const LeafTree tree(tree_, start.scope);
    std::vector<std::int32_t> slot = slots_in(start.scope, start.result.leaf_of_rank);
    const std::int64_t work = annealing_per_effort * options_.effort;
    anneal(graph_, tree, slot, options_.seed, work, watch_);
    swap_search(graph_, tree, slot, work, options_.deadline);
    MapResult annealed;
    annealed.cost = mapping_cost(matrix_, tree, slot, watch_);
    annealed.method = "annealing";
    for (const std::int32_t s : slot) annealed.leaf_of_rank.push_back(start.scope[s]);
    if (annealed.cost < best_.cost) order_equal_branches(tree_, annealed.leaf_of_rank, watch_);
    keep(std::move(annealed));
  }

  MapResult mapped(std::vector<std::int32_t> scope, std::vector<std::int32_t> packed = {}, bool quickly = false) {
    MapOptions options = options_;
    if (quickly) {
      options.memory = nullptr;
      if (options.work_limit > 0) options.work_limit = std::max<std::int64_t>(1, options.work_limit / 4);
      options.effort = std::max(1, options.effort / 4);
    }
    return map_by_portfolio(matrix_, tree_, std::move(scope), options, std::move(packed));
  }

  void keep(MapResult result) {
    if (result.cost >= best_.cost) return;
    result.natural_cost = best_.natural_cost;
    best_ = std::move(result);
  }

  std::vector<std::int32_t> leaves_below(std::int32_t top) const { return placement::leaves_below(tree_, usable_, top); }

  // These leaves, and others below the vertex to which ranks may move.
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

  // Where the leaves of a mapping are in an ascending list.
  static std::vector<std::int32_t> slots_in(const std::vector<std::int32_t>& leaves, const std::vector<std::int32_t>& leaf_of_rank) {
    std::vector<std::int32_t> slot;
    slot.reserve(leaf_of_rank.size());
    for (const std::int32_t leaf : leaf_of_rank)
      slot.push_back(static_cast<std::int32_t>(std::lower_bound(leaves.begin(), leaves.end(), leaf) - leaves.begin()));
    return slot;
  }

  const CommMatrix& matrix_;
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  MapOptions options_;
  const Watch watch_;
  MapMemory memory_;
  std::vector<std::int32_t> lowest_;  // subtrees with enough leaves, of the least height
  Graph graph_;
  std::optional<CutModel> model_;
  std::optional<PackingSearch> packing_search_;
  std::vector<std::vector<std::int32_t>> tried_;
  MapResult best_;
};

}  // namespace

MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options) {
  return LevelSearch(matrix, tree, usable, options).run();
}

}  // namespace placement

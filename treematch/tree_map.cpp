// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "treematch/annealing.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/graph.hpp"
#include "treematch/greedy.hpp"
#include "treematch/grouping.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/leaf_tree.hpp"
#include "treematch/mapping_check.hpp"
#include "treematch/multisection.hpp"
#include "treematch/packing.hpp"
#include "treematch/swap_search.hpp"
#include "treematch/units.hpp"
#include "treematch/watch.hpp"

namespace placement {

namespace {

constexpr std::int32_t few = 256;     // ranks up to which nothing is too dear
constexpr std::int32_t moderate = 1024;  // ranks up to which some time may be wasted
constexpr std::int32_t many = 16384;  // ranks from which on groupings are left out

constexpr double some_fit = 0.88;  // of units, from which on they are worth a try
constexpr double good_fit = 0.98;  // hardly anything is better

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

// The portfolio: mappings found in different ways, of which the best stays.
class Portfolio {
 public:
  // `packed`: as many leaves of the scope as there are ranks, to begin with; empty: those that lie closest together.
  Portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> scope,
            const MapOptions& options, std::vector<std::int32_t> packed = {})
      : packed_(std::move(packed)), matrix_(matrix), whole_tree_(tree), scope_(std::move(scope)), options_(options),
        work_(options.work_limit > 0 ? options.work_limit : default_work(matrix) * options.effort / usual_effort),
        tree_(tree, scope_), search_end_(options.deadline), watch_(options.deadline) {}

  MapResult run() {
    natural();
    try {
      improve();
    } catch (const OutOfTime&) {
    }
    for (std::int32_t& slot : best_) slot = tree_.leaf(slot);
    result_.leaf_of_rank = std::move(best_);
    order();
    return std::move(result_);
  }

 private:
  void improve() {
    const Watch search(search_end_);
    if (options_.memory != nullptr) {
      pack(search);
      if (recall()) return;
    }
    search_all_ways(search);
    if (options_.memory != nullptr && !search_end_.expired())
      options_.memory->keep({{tree_.vertices().begin(), tree_.vertices().end()}, packed_slots_, best_, result_.cost, result_.method});
  }

  bool recall() {
    const MapMemory::Entry* same = options_.memory->find(tree_.vertices(), packed_slots_);
    if (same == nullptr) return false;
    best_ = same->slot;
    result_.cost = same->cost;
    result_.method = same->method;
    return true;
  }

  void search_all_ways(const Watch& search) {
    graph_ = scaled_graph(matrix_, search);
    if (!packed_tree_) pack(search);
    const bool alike = !graph_.arc.empty() && all_alike();
    if (alike) search_and_offer(packed_slots_, "packed leaves");
    const bool done = alike || units(search);
    offer(greedy_mapping(graph_, tree_, search), "greedy");
    if (done || graph_.arc.empty()) return;
    if (matrix_.ranks() <= (options_.effort < usual_effort ? moderate : many) && sparse())
      offer(from_packed(grouped_mapping(graph_, *packed_tree_, Pairing::heaviest_first, search)), "grouping");
    const bool both = matrix_.ranks() <= few;
    if (both) search_and_offer(from_packed(sections(*packed_tree_)), "multisection of packed leaves");
    if (!both || packed_ != scope_) search_and_offer(sections(tree_), "multisection");
    if (!searched_) search_and_offer(best_, result_.method + ", refined");
  }

  // Says whether there is no point in multisection: the traffic falls into pieces of the size of the
  // lowest subtrees, and the ranks are too many to look for a little more.
  bool units(const Watch& search) {
    if (!sparse() || graph_.arc.empty()) return false;
    const std::optional<Units> units = join_to_units(graph_, *packed_tree_, search);
    if (!units) return false;
    if (matrix_.ranks() > many) offer(from_packed(units_in_order(*packed_tree_, *units)), "units in order");
    // Large units, few in number, leave too little choice above unless they fit.
    const auto count = static_cast<std::int64_t>(units->place.size());
    const bool choice = count * count > 32 * static_cast<std::int64_t>(matrix_.ranks());
    if (units->fit < (choice ? some_fit : good_fit)) return false;
    search_and_offer(from_packed(units_mapping(graph_, *packed_tree_, *units, options_.seed, work_ / 4, search_end_)), "units");
    return matrix_.ranks() > many ? units->fit > good_fit : units->equal_pieces && matrix_.ranks() > moderate;
  }

  // Whether each rank has the same traffic with each other one, so that only the choice of leaves counts.
  bool all_alike() const {
    if (matrix_.pairs() != static_cast<std::int64_t>(matrix_.ranks()) * (matrix_.ranks() - 1) / 2) return false;
    return std::all_of(graph_.arc.begin(), graph_.arc.end(), [&](const Arc& arc) { return arc.weight == graph_.arc.front().weight; });
  }

  bool sparse() const { return matrix_.pairs() <= 32 * static_cast<std::int64_t>(matrix_.ranks()); }

  // Only for the reader: it costs the same without. The natural order is in order already.
  void order() {
    if (result_.method == "natural" || search_end_.expired()) return;
    try {
      order_equal_branches(whole_tree_, result_.leaf_of_rank, watch_);
    } catch (const OutOfTime&) {
    }
  }

  // Needs no more than the tree. What it takes to evaluate is set aside for the mapping that the
  // deadline meets half made, whose ranks lie less in order.
  void natural() {
    const auto start = Deadline::Clock::now();
    best_.resize(matrix_.ranks());
    for (std::int32_t rank = 0; rank < matrix_.ranks(); ++rank) best_[rank] = rank;
    result_.cost = result_.natural_cost = mapping_cost(matrix_, tree_, best_);
    result_.method = "natural";
    search_end_ = options_.deadline.earlier(2 * (Deadline::Clock::now() - start));
  }

  void pack(const Watch& search) {
    search.spend(whole_tree_.vertices());
    if (packed_.empty()) packed_ = packed_leaves(whole_tree_, scope_, matrix_.ranks());
    if (packed_.size() == scope_.size())
      packed_tree_ = tree_;
    else
      packed_tree_.emplace(whole_tree_, packed_);
    packed_slots_.clear();
    for (std::size_t slot = 0; packed_slots_.size() < packed_.size(); ++slot)
      if (scope_[slot] == packed_[packed_slots_.size()]) packed_slots_.push_back(static_cast<std::int32_t>(slot));
  }

  // From slots of the packed leaves to those of the scope.
  std::vector<std::int32_t> from_packed(std::vector<std::int32_t> slot) const {
    for (std::int32_t& s : slot) s = packed_slots_[s];
    return slot;
  }

  std::vector<std::int32_t> sections(const LeafTree& tree) const {
    return multisection(graph_, tree, options_.seed, work_, search_end_);
  }

  void search_and_offer(std::vector<std::int32_t> slot, const std::string& method) {
    swap_search(graph_, tree_, slot, work_, search_end_);
    searched_ = offer(std::move(slot), method) || searched_;
  }

  // What keeps 4,096 ranks within 50 ms.
  static std::int64_t default_work(const CommMatrix& matrix) {
    return 420 * static_cast<std::int64_t>(matrix.ranks());
  }

  // Keeps a mapping that is better than all before, and says so.
  bool offer(std::vector<std::int32_t> slot, const std::string& method) {
    const Cost cost = mapping_cost(matrix_, tree_, slot, watch_);
    if (cost >= result_.cost) return false;
    result_.cost = cost;
    result_.method = method;
    best_ = std::move(slot);
    return true;
  }

  std::vector<std::int32_t> packed_;
  const CommMatrix& matrix_;
  const TreeTopology& whole_tree_;
  const std::vector<std::int32_t> scope_;  // usable leaves that the scope admits
  const MapOptions& options_;
  const std::int64_t work_;
  const LeafTree tree_;  // over scope_
  Deadline search_end_;  // after which there is only time to evaluate what has been found
  const Watch watch_;
  Graph graph_;
  std::vector<std::int32_t> packed_slots_;  // of packed_ in tree_
  std::optional<LeafTree> packed_tree_;
  std::vector<std::int32_t> best_;  // slot of each rank in tree_
  bool searched_ = false;  // best_ has had its swap search
  MapResult result_;
};

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
        if (tops != narrower) search_below(tops, up > 0);
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
    return Portfolio(matrix_, tree_, std::move(scope), options, std::move(packed)).run();
  }

  void keep(MapResult result) {
    if (result.cost >= best_.cost) return;
    result.natural_cost = best_.natural_cost;
    best_ = std::move(result);
  }

  std::vector<std::int32_t> leaves_below(std::int32_t top) const {
    const std::int32_t first = tree_.first_leaf(top);
    const auto begin = std::lower_bound(usable_.begin(), usable_.end(), first);
    return {begin, std::lower_bound(begin, usable_.end(), first + tree_.leaf_count(top))};
  }

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
    return Portfolio(matrix, tree, leaves_in_scope(tree, usable, matrix.ranks(), options.scope, 0), options).run();
  MapResult result = LevelSearch(matrix, tree, usable, options).run();
  result.natural_cost = natural.natural_cost;
  return result.cost < natural.cost ? result : natural;
}

}  // namespace placement

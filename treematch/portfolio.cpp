// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/portfolio.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/util/sequence.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/swap_search.hpp"
#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/multisection.hpp"
#include "treematch/unit_mapping.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

// The portfolio: maps the ranks in different ways and keeps the best mapping.
class Portfolio {
 public:
  // `packed`: one leaf of the scope per rank, where the search starts; if empty, the leaves that lie closest together.
  Portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> scope,
            const MapOptions& options, std::vector<std::int32_t> packed, bool quickly,
            mapping::BisectionMemory* bisections)
      : packed_(std::move(packed)),
        matrix_(matrix),
        whole_tree_(tree),
        scope_(std::move(scope)),
        options_(options),
        quickly_(quickly),
        bisections_(bisections),
        work_(work_of(matrix, options) / (quickly ? part_of_quick_work : 1)),
        tree_(tree, scope_),
        slot_(numbers(matrix.ranks())),
        watch_(options.deadline),
        search_(options.deadline.earlier(2 * time_of_natural_order())) {}

  MapResult run() {
    try {
      search_all_ways();
    } catch (const mapping::OutOfTime&) {
    }
    result_.leaf_of_rank = leaves(slot_);
    result_.work = watch_.spent() + search_.spent();
    return std::move(result_);
  }

 private:
  // Places the ranks from left to right in breadth-first order of the traffic. Then joins successive ranks to units, in
  // this order or in natural order, by the lower cost. With very many ranks, both take far less time than units made by
  // the traffic: consecutive units of 65,536 ranks take some 12 ms.
  void search_along_an_order() {
    const std::vector<std::int32_t> order = mapping::breadth_first(graph_, search_);
    std::vector<std::int32_t> slot(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) slot[order[k]] = static_cast<std::int32_t>(k);
    if (!offer(from_packed(slot), "breadth-first order")) slot = numbers(slot.size());
    if (!sparse()) return;
    const std::optional<Units> units = consecutive_units(*packed_tree_, slot);
    if (!units) return;
    const auto work = work_per_consecutive_unit * std::ssize(units->place);
    offer(from_packed(units_mapping(graph_, *packed_tree_, *units, options_.seed, work, search_)),
          result_.method + ", in units");
  }

  void search_all_ways() {
    graph_ = mapping::scaled_graph(matrix_, search_);
    if (graph_.arc.empty()) return;
    pack();
    if (matrix_.ranks() > huge_ranks) search_along_an_order();
    if (matrix_.all_alike()) return search_and_offer(packed_slots_, "packed leaves");
    if (!quickly_ && units()) return;
    const bool both = quickly_ || matrix_.ranks() <= most_ranks_for_two_multisections;
    if (both) search_and_offer(from_packed(sections(*packed_tree_)), "multisection of packed leaves");
    if (quickly_) return;
    if (!both || packed_ != scope_) search_and_offer(sections(tree_), "multisection");
    if (!searched_) search_and_offer(slot_, result_.method + ", refined");
  }

  // Maps the ranks by units, if the traffic falls into pieces of the size of the lowest subtrees. Returns whether the
  // other methods are skipped: the units fit well, and small gains would take too long for this number of ranks.
  bool units() {
    if (!sparse()) return false;
    const std::optional<Units> units = join_to_units(graph_, *packed_tree_, search_);
    if (!units) return false;
    irregular_ = units->fit < irregular_fit && matrix_.ranks() > most_ranks_with_less_work;
    const bool huge = matrix_.ranks() > huge_ranks;
    if (huge) offer(from_packed(units_in_order(*packed_tree_, *units)), "units in order");
    // Few large units leave little choice to the levels above. They are placed only if they fit well.
    const auto count = std::ssize(units->place);
    const bool choice = count * count > 32 * static_cast<std::int64_t>(matrix_.ranks());
    if (units->fit < (choice ? min_unit_fit : sufficient_unit_fit)) return false;
    search_and_offer(from_packed(units_mapping(graph_, *packed_tree_, *units, options_.seed, work_ / 4, search_)),
                     "units");
    return huge ? units->fit > sufficient_unit_fit
                : units->equal_pieces && matrix_.ranks() > most_ranks_for_little_gains;
  }

  bool sparse() const { return matrix_.pairs() <= 32 * static_cast<std::int64_t>(matrix_.ranks()); }

  // Evaluates the natural order, the first mapping, and returns the processor time that this takes. Twice this time is
  // reserved before the deadline to evaluate the last mapping. That takes longer, because its ranks are less in order.
  Deadline::Time time_of_natural_order() {
    const Deadline::Time start = Deadline::processor_clock();
    result_ = measured(matrix_, whole_tree_, leaves(slot_), "natural");
    return Deadline::processor_clock() - start;
  }

  void pack() {
    search_.spend(whole_tree_.vertices() / 8 + 30 * std::ssize(scope_));
    if (packed_.empty()) packed_ = packed_leaves(whole_tree_, scope_, matrix_.ranks());
    if (packed_.size() == scope_.size())
      packed_tree_ = tree_;
    else
      packed_tree_.emplace(whole_tree_, packed_);
    for (std::size_t slot = 0; packed_slots_.size() < packed_.size(); ++slot)
      if (scope_[slot] == packed_[packed_slots_.size()]) packed_slots_.push_back(static_cast<std::int32_t>(slot));
  }

  // Returns the leaf of each slot.
  std::vector<std::int32_t> leaves(std::vector<std::int32_t> slot) const {
    for (std::int32_t& s : slot) s = scope_[s];
    return slot;
  }

  // Converts slots of the tree of the packed leaves to slots of the tree of the scope.
  std::vector<std::int32_t> from_packed(std::vector<std::int32_t> slot) const {
    for (std::int32_t& s : slot) s = packed_slots_[s];
    return slot;
  }

  std::vector<std::int32_t> sections(const mapping::LeafTree& tree) const {
    const Annealing annealing = quickly_ || !sparse() ? Annealing::none
                                : irregular_          ? Annealing::of_irregular_parts
                                                      : Annealing::of_parts;
    return multisection(graph_, tree, options_.seed, work_, search_, annealing, bisections_);
  }

  void search_and_offer(std::vector<std::int32_t> slot, const std::string& method) {
    drop_if_cut_short();
    swap_search(graph_, tree_, slot, work_, search_);
    searched_ = keep(std::move(slot), method) || searched_;
  }

  // Throws OutOfTime if the time ended during the last search, because the mapping is then unfinished and may cost
  // more. An unfinished swap search only misses gains.
  void drop_if_cut_short() const {
    if (matrix_.ranks() < least_ranks_of_partial_searches) search_.look();
  }

  // Returns the work for one search, about one arc visited each. By default 4,096 ranks stay within 50 ms.
  static std::int64_t work_of(const CommMatrix& matrix, const MapOptions& options) {
    if (options.work_limit > 0) return options.work_limit;
    const std::int64_t per_rank = matrix.ranks() <= most_ranks_with_less_work ? work_per_rank_of_few : work_per_rank;
    return per_rank * matrix.ranks() * options.effort / usual_effort;
  }

  bool offer(std::vector<std::int32_t> slot, const std::string& method) {
    drop_if_cut_short();
    return keep(std::move(slot), method);
  }

  // Keeps the mapping if it costs less than the best one. Returns whether it was kept.
  bool keep(std::vector<std::int32_t> slot, const std::string& method) {
    watch_.spend(2 * matrix_.pairs() + matrix_.ranks());
    const Cost cost = whole_tree_.hop_bytes(matrix_, leaves(slot));
    if (cost >= result_.cost) return false;
    result_.cost = cost;
    result_.method = method;
    slot_ = std::move(slot);
    return true;
  }

  std::vector<std::int32_t> packed_;
  const CommMatrix& matrix_;
  const TreeTopology& whole_tree_;
  const std::vector<std::int32_t> scope_;  // usable leaves that the scope admits
  const MapOptions& options_;
  const bool quickly_;
  mapping::BisectionMemory* const bisections_;
  const std::int64_t work_;
  const mapping::LeafTree tree_;      // the tree above scope_
  std::vector<std::int32_t> slot_;    // of each rank in tree_: the best mapping
  MapResult result_;                  // its cost and method
  const mapping::WorkBudget watch_;   // time budget of the evaluations
  const mapping::WorkBudget search_;  // ends earlier, so that time is left to evaluate the last mapping
  mapping::Graph graph_;
  std::vector<std::int32_t> packed_slots_;  // the slots of packed_ in tree_
  std::optional<mapping::LeafTree> packed_tree_;
  bool irregular_ = false;  // many ranks whose traffic does not fall into units
  bool searched_ = false;   // swaps have refined a mapping that was kept
};

}  // namespace

MapResult map_by_portfolio(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                           const MapOptions& options, std::vector<std::int32_t> packed, bool quickly,
                           mapping::BisectionMemory* bisections) {
  return Portfolio(matrix, tree, std::move(leaves), options, std::move(packed), quickly, bisections).run();
}

}  // namespace placement::treematch

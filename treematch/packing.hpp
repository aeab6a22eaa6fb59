// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "treematch/subtree_classes.hpp"

namespace placement::treematch {

// Estimates the traffic between a part of the ranks and the other ranks from the number of ranks in the part:
//     cut(part) = (part * (1 - part / ranks)) ^ exponent
// It serves to compare sets of leaves before any rank is placed on them.
class CutModel {
 public:
  static constexpr double all_to_all = 1.0;      // exponent of an all-to-all exchange
  static constexpr double halo_exchange = 0.67;  // exponent of a halo exchange in three dimensions

  // `ranks` is at least 1, `exponent` from 0 to 1.
  CutModel(std::int32_t ranks, double exponent) { tabulate(ranks, exponent); }

  // Fits the exponent to the traffic that leaves the subtrees of a mapping; slot[r] is the slot of rank r in `tree`.
  // The exponent is limited to 0.4..1. Throws OutOfTime.
  CutModel(const mapping::Graph& graph, const mapping::LeafTree& tree, std::span<const std::int32_t> slot,
           const mapping::WorkBudget& watch);

  // Returns the estimated traffic between `part` ranks and the others, in units of the model. `part` is from 0 to
  // ranks(); the traffic is 0 at both ends.
  double cut(std::int32_t part) const { return cut_[part]; }
  std::int32_t ranks() const { return static_cast<std::int32_t>(cut_.size()) - 1; }

  // Returns the estimated hop-bytes of a mapping that occupies exactly these leaves, in units of the model. `leaves` is
  // ascending and has ranks() entries.
  double cost(const TreeTopology& tree, std::span<const std::int32_t> leaves) const;

 private:
  void tabulate(std::int32_t ranks, double exponent);

  std::vector<double> cut_;
};

// Finds sets of leaves, one leaf per rank, with the least hop-bytes that a CutModel estimates. It uses dynamic
// programming over the number of ranks in each subtree. With more than 128 ranks, a subtree takes ranks in portions
// of ranks / 128, rounded up.
class PackingSearch {
 public:
  // `usable` is ascending. The tree, the model and the time budget must outlive the object. Throws OutOfTime.
  PackingSearch(const TreeTopology& tree, std::span<const std::int32_t> usable, const CutModel& model,
                const mapping::WorkBudget& watch);

  // Returns the best set of usable leaves below the vertex, ascending, one per rank. Returns nothing when there are too
  // few, or too few whole portions. Throws OutOfTime.
  std::vector<std::int32_t> best_below(std::int32_t vertex);

  // Returns the estimated hop-bytes of best_below(vertex), in units of the model; infinity where that returns nothing.
  // Takes less time than best_below(). Throws OutOfTime.
  double least_cost_below(std::int32_t vertex);

  // Returns the class of the subtree below a vertex, -1 where no usable leaf lies below it. In two subtrees of one
  // class the best sets of leaves have equal costs.
  std::int32_t class_of(std::int32_t vertex) const { return classes_.of(vertex); }
  std::size_t classes() const { return costs_.size(); }  // the number of classes

 private:
  using Costs = std::vector<float>;  // least cost for each number of portions

  const Costs& costs_of(std::int32_t c);
  Costs seen_from(const SubtreeClass& parent, std::int32_t child);
  Costs joined(const Costs& one, const Costs& other) const;
  Costs repeated(Costs child, std::int32_t count) const;
  void take(std::int32_t vertex, std::int32_t portions, std::vector<std::int32_t>& leaves);

  const TreeTopology& tree_;
  const CutModel& model_;
  const mapping::WorkBudget& watch_;
  const std::int32_t portion_;  // ranks in a portion
  const std::int32_t portions_;
  SubtreeClasses classes_;
  std::vector<Costs> costs_;
};

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "treematch/subtree_classes.hpp"

namespace placement {

// Estimates the traffic that leaves a part of the ranks from its size alone, as a power of it. Tells sets of
// leaves apart before any rank is placed on them.
class CutModel {
 public:
  static constexpr double all_to_all = 1.0;      // exponents
  static constexpr double halo_exchange = 0.67;  // in three dimensions

  CutModel(std::int32_t ranks, double exponent) { tabulate(ranks, exponent); }

  // Fits the exponent to the subtrees of a mapping: `slot` has the slot of each rank.
  CutModel(const Graph& graph, const LeafTree& tree, std::span<const std::int32_t> slot, const WorkBudget& watch);

  // The traffic, in units of the model, between `part` ranks and the others; 0 for none and for all.
  double cut(std::int32_t part) const { return cut_[part]; }
  std::int32_t ranks() const { return static_cast<std::int32_t>(cut_.size()) - 1; }

  // Estimated hop-bytes, in units of the model, of a mapping that occupies exactly these leaves.
  double cost(const TreeTopology& tree, std::span<const std::int32_t> leaves) const;

 private:
  void tabulate(std::int32_t ranks, double exponent);

  std::vector<double> cut_;
};

// Sets of leaves for all ranks that the model expects to cost least, by dynamic programming over the
// number of ranks in each subtree.
class PackingSearch {
 public:
  // `usable` ascending.
  PackingSearch(const TreeTopology& tree, std::span<const std::int32_t> usable, const CutModel& model, const WorkBudget& watch);

  // As many of the usable leaves below the vertex as there are ranks, ascending. Empty where they do not
  // suffice, or not in the portions that are looked at when the ranks are many.
  std::vector<std::int32_t> best_below(std::int32_t vertex);

  // Subtrees of one class have equal packings. -1 where no usable leaf lies below the vertex.
  std::int32_t class_of(std::int32_t vertex) const { return classes_.of(vertex); }

 private:
  using Costs = std::vector<double>;  // by number of portions

  const Costs& costs_of(std::int32_t c);
  Costs seen_from(const SubtreeClass& parent, std::int32_t child);
  Costs joined(const Costs& one, const Costs& other) const;
  void take(std::int32_t vertex, std::int32_t portions, std::vector<std::int32_t>& leaves);

  const TreeTopology& tree_;
  const CutModel& model_;
  const WorkBudget& watch_;
  const std::int32_t portion_;  // ranks in a portion
  const std::int32_t portions_;
  SubtreeClasses classes_;
  std::vector<Costs> costs_;
};

}  // namespace placement

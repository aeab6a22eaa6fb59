// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Estimates the traffic between a part of the ranks and the other ranks from the number of ranks in the part:
//     cut(part) = (part * (1 - part / ranks)) ^ exponent
// Compares sets of leaves before any rank is placed on them.
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
  // Returns the number of ranks of the model.
  std::int32_t ranks() const { return static_cast<std::int32_t>(cut_.size()) - 1; }

  // Returns the estimated hop-bytes of a mapping that occupies exactly these leaves, in units of the model. `leaves` is
  // ascending and has ranks() entries.
  double cost(const TreeTopology& tree, std::span<const std::int32_t> leaves) const;

 private:
  void tabulate(std::int32_t ranks, double exponent);

  std::vector<double> cut_;
};

// Returns sets of usable leaves, each with one leaf per rank of the model. One set has the leaves that lie closest
// together. Each other set has the leaves of the fullest subtrees of one height. The sets ascend by the hop-bytes of
// the model. `usable` is ascending.
std::vector<std::vector<std::int32_t>> leaf_sets(const CutModel& model, const TreeTopology& tree,
                                                 std::span<const std::int32_t> usable);

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/bisection.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Estimates the traffic between a part of the ranks and the other ranks from the number of ranks in the part:
//     cut(part) = (part * (1 - part / ranks)) ^ exponent
// Compares sets of leaves before any rank is placed on them.
class CutModel {
 public:
  // `ranks` is at least 1, `exponent` from 0 to 1.
  CutModel(std::int32_t ranks, double exponent) { tabulate(ranks, exponent); }

  // Fits the exponent to the traffic that leaves the subtrees of a mapping; slot[r] is the slot of rank r in `tree`.
  // The exponent is limited to 0.4..1. Throws OutOfTime.
  CutModel(const mapping::Graph& graph, const mapping::LeafTree& tree, std::span<const std::int32_t> slot,
           const mapping::WorkBudget& watch);

  // Returns the number of ranks of the model.
  std::int32_t ranks() const { return static_cast<std::int32_t>(cut_.size()) - 1; }

  // Returns the estimated hop-bytes of a mapping that occupies exactly these leaves, in units of the model. `leaves` is
  // ascending and has ranks() entries.
  double cost(const TreeTopology& tree, std::span<const std::int32_t> leaves) const;

 private:
  void tabulate(std::int32_t ranks, double exponent);

  std::vector<double> cut_;  // by number of ranks in the part, 0 at both ends
};

// Returns sets of usable leaves, each with one leaf per rank of the model. One set has the leaves that lie closest
// together. Each other set has the leaves of the fullest subtrees of one height. The sets ascend by the hop-bytes of
// the model. `usable` is ascending.
std::vector<std::vector<std::int32_t>> leaf_sets(const CutModel& model, const TreeTopology& tree,
                                                 std::span<const std::int32_t> usable);

// Ranks joined to units of one size. A place for a unit of k ranks is k leaves just below one vertex of the tree. The
// traffic inside a unit travels equally far in each place, so only the traffic between units must be mapped. A vertex
// has places for whole units only, so some of its leaves may stay free.
struct RankUnits {
  std::int32_t size = 0;              // ranks of a unit; the last unit may have fewer
  std::vector<std::int32_t> unit_of;  // unit of each rank
  CommMatrix traffic;                 // between the units
};

// Joins the ranks to units of `size` ranks, at least 2. `graph` is that of the matrix. Returns nothing when the traffic
// does not fall into pieces of this size. Throws OutOfTime.
std::optional<RankUnits> joined_to_units(const CommMatrix& matrix, const mapping::Graph& graph, std::int32_t size,
                                         const mapping::WorkBudget& watch);

// Returns the first leaf of each place that units of `size` ranks may take, ascending. `usable` is ascending.
std::vector<std::int32_t> places_of_units(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                          std::int32_t size);

// Returns the leaf of each rank when unit u is on the place whose first leaf is place_of_unit[u]. The ranks of a unit
// take its leaves in ascending order.
std::vector<std::int32_t> leaves_of_ranks(const RankUnits& units, std::span<const std::int32_t> usable,
                                          std::span<const std::int32_t> place_of_unit);

// The structure of the traffic, independent of leaves: a quick bisection, groups, and units. Each is computed at its
// first use. All searches of a job share it, which does not change their results. The functions throw OutOfTime.
class RankStructure {
 public:
  // The matrix and the time budget must outlive the object. `seed` is that of the random choices.
  RankStructure(const CommMatrix& matrix, std::uint64_t seed, const mapping::WorkBudget& watch)
      : matrix_(matrix),
        seed_(seed),
        watch_(watch) {}

  const mapping::Graph& graph();                                  // the graph of the matrix, one vertex per rank
  mapping::BisectionMemory& bisections() { return bisections_; }  // bisections of this graph

  // Returns the model of the traffic that leaves a part of the ranks, fitted to a quick recursive bisection.
  const CutModel& model();

  // Returns the position of each rank after the bisection for model(). The ranks of one part are consecutive.
  std::span<const std::int32_t> order();

  // Returns the groups that heavy pairs join (`treematch/heavy_groups.hpp`): either none, or at least two that together
  // have at least half of the ranks.
  const std::vector<std::vector<std::int32_t>>& groups();

  // Returns the ranks joined to units of 8, 4 and 2, the largest first, for each size into which the traffic falls.
  // `smallest` is the smallest size to try; all calls must pass the same value.
  const std::vector<RankUnits>& units(std::int32_t smallest);

 private:
  void bisect();

  const CommMatrix& matrix_;
  const std::uint64_t seed_;
  const mapping::WorkBudget& watch_;
  std::optional<mapping::Graph> graph_;
  mapping::BisectionMemory bisections_;
  std::vector<std::int32_t> order_;
  std::optional<CutModel> model_;
  std::optional<std::vector<std::vector<std::int32_t>>> groups_;
  std::optional<std::vector<RankUnits>> units_;
};

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "mapping/bisection.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/cut_model.hpp"
#include "treematch/rank_units.hpp"

namespace placement::treematch {

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

  // Returns the number of each rank in the order of the parts of that bisection.
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

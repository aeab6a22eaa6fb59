// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/policy/policy.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

constexpr std::int32_t most_ranks_by_objective = 16;

// What search_by_objective() looks for: a placement with less than `value`, or with `value` and less than `cost`
// hop-bytes.
struct ObjectiveGoal {
  Objective objective = Objective::balanced;      // balanced or worst_group
  std::vector<std::vector<std::int32_t>> groups;  // disjoint groups of ranks; read with worst_group
  std::int32_t value = 0;                         // difference of tasks, or number of leaf switches
  Cost cost = 0;
  Cost most_cost = 0;  // no placement with more hop-bytes is wanted
};

struct ObjectiveSearchResult {
  std::vector<std::int32_t> leaf_of_rank;  // the best placement found; empty when none reaches the goal
  bool complete = false;                   // no other placement within the limits and the scope is better
};

// Goes through the placements of a small job, one rank after the other, for the one that is best by the objective.
// Equal subtrees without ranks are interchangeable, so that one of them is tried. A part of a placement is given up
// when it can no longer reach the goal.
//   request  has a matrix and at least two tasks
//   work     largest number of steps, of about 10 nanoseconds each
// When the work or the time ends before all placements are considered, returns the best one so far. Equal arguments
// give equal results, unless the deadline passes. Returns an incomplete result without search when there are more than
// most_ranks_by_objective ranks, or when a vertex of the tree stands for several nodes.
ObjectiveSearchResult search_by_objective(const ClusterView& view, const Request& request, ObjectiveGoal goal,
                                          std::int64_t work, const Deadline& deadline);

}  // namespace placement::treematch

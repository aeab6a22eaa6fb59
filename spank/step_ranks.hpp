// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "spank/options.hpp"

namespace placement {

// A step as Slurm laid it out. Counts of tasks per node are Slurm's and stay; which rank runs where
// is ours to say.
struct StepShape {
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  std::vector<std::string> nodes;     // in the order of the step
  std::vector<std::int32_t> tasks;    // of each node, 1 or more
  std::int32_t cores_per_task = 1;
};

struct StepPlacement {
  std::vector<std::vector<std::uint32_t>> ranks_of_node;  // ascending, as pmix and pmi2 need them
  std::vector<std::int32_t> slot_of_rank;  // as in BindPlan; empty when tasks share cores
  std::vector<std::vector<std::int32_t>> cores_of_rank;  // of its node, as the policy has them; likewise
  Cost cost = 0;
  Cost natural_cost = 0;
};

// Places the ranks of the step within `view`, which has the nodes of the step in the same order.
// Throws Error when the policy cannot, or answers what does not fit the step.
StepPlacement place_step(const Wish& wish, const StepShape& step, ClusterView view);

}  // namespace placement

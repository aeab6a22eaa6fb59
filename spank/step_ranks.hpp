// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/step_view.hpp"
#include "spank/options.hpp"

namespace placement {

struct StepPlacement {
  std::vector<std::vector<std::uint32_t>> ranks_of_node;  // ascending, as pmix and pmi2 need them
  std::vector<std::int32_t> slot_of_rank;  // as in BindPlan; empty when tasks share cores
  std::vector<std::vector<std::int32_t>> cores_of_rank;  // of its node, as the policy has them; also empty on hardware threads
  Cost cost = 0;
  Cost natural_cost = 0;
};

// Places the ranks of the step within `view`, which has the nodes of the step in the same order.
// Throws Error when the policy cannot, or answers what does not fit the step.
StepPlacement place_step(const PlacementRequest& placement_request, const StepShape& step, const ClusterView& view);

}  // namespace placement

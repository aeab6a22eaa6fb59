// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>

#include "common/util/deadline.hpp"
#include "plugins/planning/decide.h"
#include "plugins/planning/decision_input.hpp"
#include "plugins/planning/planner.hpp"
#include "plugins/planning/step_costs.hpp"

namespace placement::planning {

// The costs of the job's first step on the nodes and cores that Slurm gave the job.
struct GivenCosts : StepCosts {
  std::string difference;  // how the allocation differs from the plan, for people; empty if it does not
};

// Compares the allocation `grant` with `plan`, which was made for the same input. If the job got the plan, the plan's
// costs are returned; else the policy places the ranks anew on the allocation. Does not throw Error: costs that cannot
// be computed before `deadline` are empty.
GivenCosts assess_grant(const DecisionInput& input, const Plan& plan, const placement_grant& grant,
                        const Deadline& deadline);

// Returns the costs of the job's first step on the nodes and cores `grant`, which no policy chose. Returns nothing if
// srun does not place the job's ranks by a matrix on them. Does not throw Error: costs that cannot be computed before
// `deadline` are empty.
std::optional<StepCosts> costs_on(const DecisionInput& input, const placement_grant& grant, const Deadline& deadline);

}  // namespace placement::planning

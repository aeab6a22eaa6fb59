// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/util/deadline.hpp"
#include "plugins/planning/policy_view.hpp"
#include "plugins/planning/step_costs.hpp"

namespace placement::planning {

// Asks the job's policy for a placement, checks it, and converts it to a plan. `views` keeps the view for the next
// decision. Throws MustWait if the job has to wait because its user asked for that. Throws Error with the reason if the
// policy cannot serve the job, which then runs as stock Slurm would run it. A plan that is made without the job's
// matrix has the costs by the matrix in natural order, on the planned cores and on the first nodes of the offer.
Plan make_plan(const DecisionInput& input, PolicyViews& views, const Deadline& deadline);

// Sets the costs of stock in `plan` to those on the nodes that Slurm itself would choose, a host list. make_plan() made
// the plan for `input`. Leaves the plan unchanged if the offer does not have these nodes. Throws Error if they cannot
// take the job.
void use_stock_choice(const DecisionInput& input, const std::string& nodes, PolicyViews& views, Plan& plan,
                      const Deadline& deadline);

}  // namespace placement::planning

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/util/deadline.hpp"
#include "plugins/planning/decision_input.hpp"
#include "plugins/planning/policy_view.hpp"
#include "plugins/planning/step_costs.hpp"
#include "plugins/planning/within_nodes.hpp"

namespace placement::planning {

// The nodes and cores that a policy chose, as indices into the offer.
struct Plan {
  std::vector<std::uint32_t> nodes;       // indices into the offer, ascending
  std::vector<std::uint32_t> tasks;       // the number of tasks on each of `nodes`
  std::vector<std::uint8_t> core_wanted;  // one byte per core, indexed as placement_offer::core_free
  std::uint32_t task_count = 0;
  std::string note;                         // remarks for people, mostly empty
  std::string lacks;                        // the policy and what it lacked, for the job's user; mostly empty
  StepCosts costs;                          // on the planned cores
  std::optional<StockWithin> stock_within;  // the stock cost for cores that Slurm chooses; not on a torus
  std::string stock_busiest_link;  // of the ranks in natural order on the first nodes of the offer; empty if not known
  StepVariables for_steps;
  std::vector<std::string> terms;  // the policy's reasons for its choice
};

// Asks the job's policy for a placement, checks it, and converts it to a plan. `views` keeps the view for the next
// decision. Throws MustWait if the user wants the job to wait. Throws Error with the reason if the policy cannot
// serve the job, which then runs as stock Slurm would run it.
Plan make_plan(const DecisionInput& input, PolicyViews& views, const Deadline& deadline);

}  // namespace placement::planning

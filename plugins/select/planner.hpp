// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/util/deadline.hpp"
#include "plugins/select/job_request.hpp"
#include "plugins/select/decide.h"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"
#include "plugins/select/policy_view.hpp"

namespace placement {

// What a policy wants, in the terms of the offer.
struct Plan {
  std::vector<std::uint32_t> nodes;        // indices into the offer, ascending
  std::vector<std::uint32_t> tasks;        // of each of them
  std::vector<std::uint8_t> core_wanted;   // like placement_offer::core_free
  std::uint32_t task_count = 0;
  std::string note;                        // for people: what was left out; mostly empty
  std::string cost;                        // empty without a matrix
  std::string natural_cost;
  std::string stock_cost;
  std::string job_state;                   // for the job's steps, see common/decision/job_state.hpp; mostly empty
  std::vector<std::string> terms;          // what the policy says of its choice
};

// What the nodes and cores that a job has cost its first step, as srun will place its ranks.
struct GivenCosts {
  std::string cost;          // empty: not known
  std::string natural_cost;  // empty: not known
  std::string difference;    // from the plan, for people; empty: the job has what was planned
};

// Compares what was given with the plan for the same question. Where it is the plan, its costs are returned; else ranks
// are placed anew, by the policy. Never throws Error.
GivenCosts assess_grant(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                        const placement_request& request, const JobRequest& job_request, const Config& config, const Plan& plan,
                        const placement_grant& grant, const Deadline& deadline);

// Asks the policy and checks its answer. `views` keeps what the next decision can use again. Throws Error with the reason
// when the job is to run as stock Slurm would run it.
Plan make_plan(const Machine& machine, const LiveNow& live, const placement_offer& offer,
               const placement_request& request, const JobRequest& job_request, const Config& config,
               PolicyViews& views, const Deadline& deadline);

}  // namespace placement

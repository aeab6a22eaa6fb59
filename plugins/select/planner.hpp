// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/deadline.hpp"
#include "plugins/select/asked.hpp"
#include "plugins/select/decide.h"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"

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
  std::string job_state;                   // for the job's steps, see core/job_state.hpp; mostly empty
  std::vector<std::string> terms;          // what the policy says of its choice
};

// Asks the policy and checks its answer. Throws Error with the reason when the job is to run as
// stock Slurm would run it.
Plan make_plan(const Machine& machine, const LiveNow& live, const placement_offer& offer,
               const placement_request& request, const Asked& asked, const Config& config,
               const Deadline& deadline);

}  // namespace placement

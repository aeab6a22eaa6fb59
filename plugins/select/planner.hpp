// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/util/deadline.hpp"
#include "plugins/select/job_request.hpp"
#include "plugins/select/decide.h"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"
#include "plugins/select/policy_view.hpp"
#include "plugins/select/within_nodes.hpp"

namespace placement::select_plugin {

// The hop-bytes of the ranks in natural order on the first nodes of the offer, and the part of these within nodes.
struct StockWithin {
  Cost cost;
  WithinNodes within;
};

// The nodes and cores that a policy chose, as indices into the offer. A cost is empty if it is not known; without a
// matrix, and with a coarsened one, no cost is known.
struct Plan {
  std::vector<std::uint32_t> nodes;       // indices into the offer, ascending
  std::vector<std::uint32_t> tasks;       // the number of tasks on each of `nodes`
  std::vector<std::uint8_t> core_wanted;  // one byte per core, indexed as placement_offer::core_free
  std::uint32_t task_count = 0;
  std::string note;                         // remarks for people, mostly empty
  std::string lacks;                        // the policy and what it lacked, for the job's user; mostly empty
  std::string cost;                         // hop-bytes of the plan
  std::string natural_cost;                 // hop-bytes on the planned cores in natural order
  std::string stock_cost;                   // hop-bytes on the first nodes of the offer in natural order
  std::optional<StockWithin> stock_within;  // the same, for cores that Slurm chooses; not on a torus
  std::string busiest_link;  // of the plan, as busiest_link() of link_traffic.hpp tells it; empty if not known
  std::string ranks;         // those of each of `nodes`, as "0,5;1-3;4"; empty if not known, or too long to be told
  std::string stock_busiest_link;  // of the ranks in natural order on the first nodes of the offer; empty if not known
  std::string job_state;           // live data for the steps (common/decision/job_state.hpp); mostly empty
  std::vector<std::string> terms;  // the policy's reasons for its choice
};

// Costs of the job's first step, with ranks placed as srun will place them on the nodes and cores that the job has.
struct GivenCosts {
  std::string cost;          // hop-bytes; empty if not known
  std::string natural_cost;  // hop-bytes in natural order; empty if not known
  std::string stock_cost;    // hop-bytes on the first nodes of the offer in natural order; empty if not known
  std::string difference;    // how the allocation differs from the plan, for people; empty if it does not
  std::string busiest_link;  // see Plan
  std::string ranks;         // see Plan
};

// Compares the allocation `grant` with `plan`, which was made for the other arguments. If the job got the plan, the
// plan's costs are returned; else the policy places the ranks anew on the allocation. Does not throw Error: costs that
// cannot be computed before `deadline` are empty.
GivenCosts assess_grant(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                        const placement_request& request, const JobRequest& job_request, const Config& config,
                        const Plan& plan, const placement_grant& grant, const Deadline& deadline);

// Returns the costs of the job's first step on the nodes and cores `grant`, which no policy chose. Returns nothing if
// srun does not place the job's ranks by a matrix on them. Does not throw Error: costs that cannot be computed before
// `deadline` are empty.
std::optional<GivenCosts> costs_on(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                                   const placement_request& request, const JobRequest& job_request,
                                   const Config& config, const placement_grant& grant, const Deadline& deadline);

// Asks the job's policy for a placement, checks it, and converts it to a plan. `views` keeps the view for the next
// decision. Throws MustWait if the user wants the job to wait. Throws Error with the reason if the policy cannot
// serve the job, which then runs as stock Slurm would run it.
Plan make_plan(const Machine& machine, const LiveNow& live, const placement_offer& offer,
               const placement_request& request, const JobRequest& job_request, const Config& config,
               PolicyViews& views, const Deadline& deadline);

}  // namespace placement::select_plugin

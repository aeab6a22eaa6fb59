// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/policy/config.hpp"
#include "common/policy/policy.hpp"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/candidate_nodes.hpp"
#include "plugins/planning/decision_types.h"

namespace placement::planning {

// Returns the smaller of `value` and the largest int32_t.
std::int32_t clamped(std::uint64_t value);

// Returns the job's request as its policy takes it. The job's own parameters come first. Parameters that it does not
// give are taken from the policy of its partition, then from the site's configuration.
Request policy_request(const CandidateNodes& candidates, const placement_request& request,
                       const JobRequest& job_request, const Config& config);

}  // namespace placement::planning

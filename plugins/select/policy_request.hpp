// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/policy/config.hpp"
#include "common/policy/policy.hpp"
#include "plugins/select/job_request.hpp"
#include "plugins/select/candidate_nodes.hpp"
#include "plugins/select/decide.h"

namespace placement {

// `value`, or the largest number of 32 bits.
std::int32_t clamped(std::uint64_t value);

// A job's question as its policy is asked it: what the job says, then what its partition says, then the site.
Request policy_request(const CandidateNodes& candidates, const placement_request& request, const JobRequest& job_request,
                       const Config& config);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "common/state/controller_state.hpp"
#include "common/decision/job_state.hpp"

namespace placement {

// What slurmctld would have sent with this job on these nodes, as placement-monitor on a controller knows it now;
// `controller` says where it is asked. Throws Error. May take as long as 35 s for each controller that does not answer.
JobState ask_for_job_state(const ControllerState& controller, std::uint32_t job, std::span<const std::string> nodes);

}  // namespace placement

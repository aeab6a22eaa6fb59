// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "common/decision/job_state.hpp"
#include "common/policy/policy_spec.hpp"
#include "common/state/controller_state.hpp"

namespace placement::spank {

// Asks placement-monitor on a controller for the present state of `nodes`. Returns the state that slurmctld would have
// sent with the job `job` on these nodes. `controller` gives the monitor's address. Throws Error if no monitor
// answers, or if this plugin was built without munge. Each controller has 2 s to answer.
JobState ask_for_job_state(const ControllerState& controller, std::uint32_t job, std::span<const std::string> nodes);

// Adds the result of ask_for_job_state() to the view, if the policy uses live data and the view has no torus, live data
// or outage probabilities. slurmctld sends none with a job whose own policy does not use them. Returns an empty text,
// or the reason why the policy has only Slurm's topology.
std::string add_missing_state(const PolicySpec& spec, ClusterView& view, std::uint32_t job,
                              std::span<const std::string> nodes, const ControllerState& controller);

}  // namespace placement::spank

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "common/policy/policy_spec.hpp"
#include "common/state/controller_state.hpp"

namespace placement::spank {

// Adds the state of `nodes` to the view, if the policy uses live data and the view has no torus, live data or outage
// probabilities. slurmctld sends none with a job whose own policy does not use them. Asks placement-monitor on each
// controller for up to 2 s; `controller` has its address. Returns an empty text, or the reason why the policy has only
// Slurm's topology.
std::string add_missing_state(const PolicySpec& spec, ClusterView& view, std::uint32_t job,
                              std::span<const std::string> nodes, const ControllerState& controller);

}  // namespace placement::spank

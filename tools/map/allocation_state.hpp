// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/policy/policy_spec.hpp"
#include "spank/step/allocation.hpp"

namespace placement::tools {

// Adds to the allocation what a step by the policy `spec` would go by: the state and the planned ranks that slurmctld
// sent with the job and, if the policy is `named` on the command line, as srun -m names it, what placement-monitor
// tells now where the job has none. Tells on standard error, behind "placectl COMMAND: ", what the policy lacks, and
// that srun places no ranks because slurmctld's Mode is not enforce. Throws Error if slurmctld does not answer or the
// job's state is damaged.
void take_plan(const std::string& command, const PolicySpec& spec, bool named, std::optional<std::uint32_t> component,
               spank::Allocation& allocation);

}  // namespace placement::tools

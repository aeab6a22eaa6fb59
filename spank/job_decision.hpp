// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace placement {

// The variable by which slurmctld tells how it decided for a job, and whether the job's user asked not to be told.
inline constexpr const char* job_decision_variable = "PLACEMENT_DECISION";
inline constexpr const char* job_quiet_variable = "PLACEMENT_QUIET";

// A line for the user of a job that asked slurmctld for a policy: empty when it has the policy's nodes, else why it has
// those that Slurm itself chose. `value` is that of job_decision_variable, null when the job has none. `array` is the
// number of the job's array, 0 without one: a task of an array may be called by it. A value that is of another job
// counts as none, as one job's environment is passed on to those that are submitted from within it.
std::string stock_nodes_notice(std::uint32_t job, std::uint32_t array, const char* value);

// The name of a variable for component `component` of a heterogeneous job.
std::string component_variable(std::string_view name, std::uint32_t component);

}  // namespace placement

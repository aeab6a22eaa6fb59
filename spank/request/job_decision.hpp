// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace placement::spank {

// Returns a line for the user of a job that asked slurmctld for a policy. The line says why the job `job` has the
// nodes that Slurm itself chose. If the job has the policy's nodes, the line says what the policy lacked for its
// choice; it is empty if it lacked nothing. `value` is the value of job_decision_variable, null if the job has none.
// `array` is the job ID of the job's array, 0 without one; slurmctld may name a task of an array by it. A value for
// another job is ignored, because a job inherits the environment of the job that submitted it.
std::string stock_nodes_notice(std::uint32_t job, std::uint32_t array, const char* value);

// Returns a line for the user of a job that asked for no policy and whose partition has one (PartitionPolicies). The
// line says why the job does not have that policy's nodes. It is empty if the job has them, if its partition has no
// policy, and while Mode= of placement.conf keeps slurmctld from applying policies. The parameters are those of
// stock_nodes_notice().
std::string partition_policy_notice(std::uint32_t job, std::uint32_t array, const char* value);

// Returns true if slurmctld reported that the job's ranks follow its policy: on the policy's nodes, or by the matrix on
// others. The parameters are those of stock_nodes_notice().
bool ranks_are_promised(std::uint32_t job, std::uint32_t array, const char* value);

// Returns the name of the variable `name` for component `component` of a heterogeneous job: NAME_HET_GROUP_K.
std::string component_variable(std::string_view name, std::uint32_t component);

}  // namespace placement::spank

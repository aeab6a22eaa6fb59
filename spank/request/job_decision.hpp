// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace placement::spank {

// Returns a line for the user with the reason why the job `job` runs on nodes that Slurm itself chose. `asked`: the job
// requested a policy from slurmctld. If that job has the policy's nodes, the line names the data that were missing; it
// is empty if none were. If `asked` is false, the line is about the policy of the job's partition (PartitionPolicies).
// It is empty if the partition has no policy, or if Mode= keeps slurmctld from applying policies.
//   array  the job ID of the job's array, 0 without one; slurmctld may name a task of an array by it
//   value  the value of job_decision_variable, or null; ignored if it is for another job, because a job inherits the
//          environment of the job that submitted it
std::string decision_notice(bool asked, std::uint32_t job, std::uint32_t array, const char* value);

// Returns whether slurmctld reported that the job's ranks follow its policy: on the policy's nodes, or by the matrix on
// others. The parameters are those of decision_notice().
bool ranks_are_promised(std::uint32_t job, std::uint32_t array, const char* value);

// Returns the name of the variable `name` for the job, or for component K of a heterogeneous job: NAME_HET_GROUP_K.
std::string component_variable(const std::string& name, std::optional<std::uint32_t> component);

}  // namespace placement::spank

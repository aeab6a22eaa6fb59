// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/request/spank_api.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "spank/request/options.hpp"

namespace placement::spank {

// Makes and uses profiles. srun --profile-comm counts the traffic of a program. A policy with matrix=auto places the
// next run of the program by this profile.

// The variable by which a job has its steps profiled. Its value is the file, or empty for the user's store.
inline constexpr const char* job_profile_variable = "PLACEMENT_PROFILE_COMM";

// The variable with the file for the profile of a step. srun sends it to the tasks of the step.
inline constexpr const char* step_profile_variable = "SLURM_PLACEMENT_PROFILE";

// The variable by which a job's steps are not profiled although the site has ProfileJobs=yes.
inline constexpr const char* job_no_profile_variable = "PLACEMENT_NO_PROFILE";

// The variable that marks the profile of a step as a learned one, for the tasks of the step.
inline constexpr const char* step_learning_variable = "SLURM_PLACEMENT_LEARN";

// Returns the program and arguments on the command line of this srun or salloc. `component` is the component whose
// options were parsed last, and 0 if the job is not heterogeneous. Returns an empty list if they cannot be found.
std::vector<std::string> command_given(int component = 0);

// Sets the matrix of `request` to the stored profile of `command` with `tasks` tasks, and comm-share= to its share of
// communication. Notifies the user which profile is used. If there is none or it cannot be read, the request stays as
// it is, and the user gets the reason. An empty `command` changes nothing without a message.
void take_stored_profile(PlacementRequest& request, const std::vector<std::string>& command, std::int32_t tasks);

// Returns the value of --profile-comm as an absolute path for the job's steps; an empty value stays empty. Throws Error
// if the profiling library is missing, if the path is a directory, or if its directory does not exist.
std::string checked_profile_file(const std::string& file);

// Sets up the step's tasks to be profiled for a learned profile, if slurmctld has ProfileJobs=yes in force. The step
// must run an MPI program that is linked with the profiler's MPI library and not named in ProfileExclude. The earlier
// runs of the program must not agree yet. Call it in srun when the step is created and not yet launched. Throws Error
// if the user's store cannot be used.
void learn_step(spank_t spank, std::int32_t tasks);

// Has the tasks of the step profiled. Call it in srun when the step is created and not yet launched. The profile goes
// to `file`, or to the user's store if `file` is empty. In `file`, %j is replaced by the job ID and %s by the step
// ID. Returns the path of the profile. Throws Error if srun does not report its step or the store cannot be used.
std::string profile_step(spank_t spank, const std::string& file, std::int32_t tasks);

// Preloads the profiling library into the program if srun has the step profiled. Call it in the task, as the user, just
// before its program starts.
void profile_task(spank_t spank);

}  // namespace placement::spank

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// The way of a profile: srun --profile-comm counts what a program sends, and a policy whose matrix
// is "auto" places the next run of that program by it.

// By which a job tells its steps to be profiled; the value is the file, or empty for the user's store.
inline constexpr const char* job_profile_variable = "PLACEMENT_PROFILE_COMM";

// By which srun tells the tasks of its step where their profile goes.
inline constexpr const char* step_profile_variable = "SLURM_PLACEMENT_PROFILE";

// The command of this srun, after its options are read and before there is a step; empty where it
// cannot be told.
std::vector<std::string> command_given();

// The command of the step, as srun will launch it.
std::vector<std::string> command_of_step(spank_t spank);

// The profile that is stored for that command with so many tasks, and a line for the user that
// says which; null when there is none, or it cannot be read, and a line that says so.
std::shared_ptr<const CommMatrix> stored_profile(const std::vector<std::string>& command, std::int32_t tasks);

// The file of --profile-comm as the job's steps can use it. Throws Error when its directory is not there.
std::string checked_profile_file(const std::string& file);

// In srun, the step is created and not yet launched: has its tasks profiled. `file` may be empty,
// and %j and %s in it are the job and the step. Throws Error.
void profile_step(spank_t spank, const std::string& file, std::int32_t tasks);

// In the task, as the user, just before its program starts: preloads the profiler if srun said so.
void profile_task(spank_t spank);

}  // namespace placement

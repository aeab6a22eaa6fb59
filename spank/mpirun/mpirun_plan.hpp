// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "spank/api/spank_api.hpp"

namespace placement::spank {

// Writes the order of ranks that the policy chooses for Open MPI's mpirun, in a job with a policy and a matrix. This
// plan is a sequential hostfile, a file in memory (memfd) that PLACEMENT_HOSTFILE names. If the user
// (PLACEMENT_MPIRUN=yes) or the site (MpirunByPolicy=yes) asks for it, Open MPI's own variables name it as well, so
// that every mpirun follows it. The path is that of a descriptor in /proc/PID/fd of the process that holds the file, so
// that other users cannot replace it. The path is valid until that process ends.

// Makes the plan in salloc and sets the variables in its environment. Call it when the environment describes the job.
// salloc holds the plan until it ends. `has_command` is false if salloc starts its default shell. Returns a message for
// the user, which is usually empty. Throws bad_alloc, or Error if the shipped request is damaged.
std::string plan_mpirun_of_salloc(bool has_command);

// Makes the plan in the process that becomes a batch script or the shell of an interactive step, as the user. That
// process holds the plan. The plan is computed in a child process with limited time, so that a failure there
// does not keep the script from its start. In other processes the function does nothing.
void plan_mpirun_of_script(spank_t spank);

}  // namespace placement::spank

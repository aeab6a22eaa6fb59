// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

namespace placement {

// The ranks of Open MPI's mpirun in a job with a policy and a matrix. The policy's plan is a sequential hostfile in
// memory, which the environment of the job's script or shell names to mpirun. It has no name in any directory, is
// open in the process that holds it alone, and ends with that process; other users cannot put anything in its place.

// In salloc, whose environment describes the job that it got: makes the plan, which salloc holds until it ends.
void plan_mpirun_of_salloc();

// In the process that becomes a batch script, or the shell of an interactive step, as the user: makes the plan, which
// that process holds. The work is done by a process of its own that has a limited time, so that whatever happens there
// the script starts. In other processes it does nothing.
void plan_mpirun_of_script(spank_t spank);

}  // namespace placement

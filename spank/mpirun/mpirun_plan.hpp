// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "spank/api/spank_api.hpp"

namespace placement::spank {

// Places the ranks of Open MPI's mpirun in a job with a policy and a matrix. The policy's plan is a sequential
// hostfile, which is a file in memory (memfd). Variables in the environment of the job's script or shell name it to
// mpirun. The path is that of a descriptor in /proc/PID/fd of the process that holds the file, so that other users
// cannot replace it. The path ends with this process.

// Makes the plan in salloc and sets the variables in its environment. Call it when the environment describes the job.
// salloc holds the plan until it ends. `component` is the last component of the command line, which names the command;
// 0 for a job that is not heterogeneous. Returns what the user is to be told, which is mostly nothing. Throws
// bad_alloc, or Error if the shipped request is damaged.
std::string plan_mpirun_of_salloc(int component);

// Makes the plan in the process that becomes a batch script or the shell of an interactive step, as the user. That
// process holds the plan. The plan is computed in a child process with limited time, so that the script starts
// whatever happens there. In other processes the function does nothing.
void plan_mpirun_of_script(spank_t spank);

}  // namespace placement::spank

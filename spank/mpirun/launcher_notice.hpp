// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "spank/api/spank_api.hpp"
#include "spank/mpirun/mpirun_environment.hpp"

namespace placement::spank {

// Returns the name of the daemon that this step runs, if an mpirun or mpiexec uses it to start its ranks itself; else
// an empty string. The tasks of this step are not placed then. It does not matter which daemon runs on which node. A
// daemon must not be bound, because its ranks need all cores of the job.
std::string launcher_daemon(spank_t spank);

// Tells the user of mpirun or mpiexec that its ranks are not placed by the job's policy `policy`. The line also says
// why, and how to place them. `daemon` is the result of launcher_daemon(), `plan` the plan in srun's environment, and
// `why_not_srun` says why srun does not place ranks by the policy either; it is empty if srun does. `for_srun_alone`
// tells that the job's matrix is to be a stored profile (auto), which srun finds by its program. Open MPI's mpirun
// drops the output of srun, so the line is written to the standard error of the parent process. Writes nothing if the
// user gave Open MPI's mpirun a rankfile or the hostfile of `plan`, or if `plan` is in force and neither an option of
// mpirun nor a variable nor a file of parameters maps or binds ranks otherwise.
void tell_launcher(std::string_view daemon, std::string_view policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone);

}  // namespace placement::spank

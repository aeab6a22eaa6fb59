// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "spank/api/spank_api.hpp"
#include "spank/mpirun/mpirun_environment.hpp"

namespace placement::spank {

// Returns the name of the daemon that this step runs if mpirun or mpiexec starts its ranks through it; else an empty
// string. The tasks of this step are not placed then. It does not matter which daemon runs on which node. A daemon must
// not be bound, because its ranks need all cores of the job.
std::string launcher_daemon(spank_t spank);

// Warns the user of mpirun or mpiexec that its ranks are not placed by the job's policy `policy`. The message names the
// command that places them. `daemon` is the result of launcher_daemon(), `plan` the plan in srun's environment.
// `why_not_srun` is the reason if srun does not place ranks by the policy either, else empty. `for_srun_alone`: the
// job's matrix is a stored profile (auto), which srun finds by its program. Open MPI's mpirun drops the output of srun,
// so the line is written to the standard error of the parent process. Writes nothing if `plan` is in force, or if the
// user gave Open MPI's mpirun a rankfile or the hostfile of `plan`.
void tell_launcher(std::string_view daemon, const std::string& policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone);

}  // namespace placement::spank

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "spank/api/spank_api.hpp"
#include "spank/mpirun_plan.hpp"

namespace placement::spank {

// If this step runs the daemons of mpirun or mpiexec, returns the name of the daemon; otherwise an empty string. srun
// does not place the tasks of a step with daemons. It does not matter which daemon runs on which node. A daemon must
// not be bound, because its ranks need all cores of the job.
std::string launcher_daemon(spank_t spank);

// Warns the user of mpirun or mpiexec that its ranks are not placed by the job's policy `policy`, and names the command
// that places them. Writes nothing if `plan`, the plan in srun's environment, is in force, or if the user gave mpirun a
// rankfile or the plan's hostfile. Open MPI's mpirun drops srun's output, so the parent's standard error is used.
//   daemon          the result of launcher_daemon()
//   why_not_srun    why srun does not place ranks by the policy either; else empty
//   for_srun_alone  whether the job's matrix is a stored profile (auto), which srun finds by its program
void tell_launcher(std::string_view daemon, const std::string& policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone);

}  // namespace placement::spank

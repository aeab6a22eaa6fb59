// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "spank/request/spank_api.hpp"

namespace placement::spank {

// Variables in the environment of a job's script or shell. Some give Open MPI's mpirun the order of its ranks (the
// plan). The others show this plan to users and commands.

// Open MPI's own variables for the mapping of ranks and for the hostfile. In each array, the first variable is for Open
// MPI up to version 4. The second is for version 5 and later, whose mpirun is PRRTE's. A plan sets all four variables.
inline constexpr const char* mapping_policy_variables[] = {"OMPI_MCA_rmaps_base_mapping_policy",
                                                           "PRTE_MCA_rmaps_default_mapping_policy"};
inline constexpr const char* hostfile_variables[] = {"OMPI_MCA_orte_default_hostfile",
                                                     "PRTE_MCA_prte_default_hostfile"};
inline constexpr const char* sequential_mapping = "seq";

// The path of the hostfile with the plan.
inline constexpr const char* mpirun_plan_variable = "PLACEMENT_HOSTFILE";
// The reason why mpirun has no plan in its environment although the job should have one.
inline constexpr const char* mpirun_reason_variable = "PLACEMENT_HOSTFILE_REASON";

// The command by which an mpirun follows the plan, for messages.
inline constexpr const char* mpirun_command = "\"mpirun --map-by seq --hostfile $PLACEMENT_HOSTFILE\"";

// The plan for mpirun in the environment of this process.
struct MpirunPlan {
  bool in_force = false;  // there is a plan, and the user has not changed Open MPI's variables
  std::string path;       // the hostfile with the plan; empty if there is none
  std::string reason;     // why mpirun does not take the plan from its environment; may be empty
};

// Returns the plan for mpirun in the environment of this process.
MpirunPlan inherited_mpirun_plan();

// Removes the plan from the environment of this process, except for variables that the user has changed. srun needs no
// plan, and the jobs of sbatch and salloc must not inherit it.
void forget_mpirun_plan();

// Writes the order of ranks that the policy chooses for Open MPI's mpirun, in a job with a policy and a matrix. This
// plan is a sequential hostfile, a file in memory (memfd) that PLACEMENT_HOSTFILE names. If the user
// (PLACEMENT_MPIRUN=yes) or the site (MpirunByPolicy=yes) asks for it, Open MPI's own variables name it as well, so
// that every mpirun follows it. The path is that of a descriptor in /proc/PID/fd of the process that holds the file, so
// that other users cannot replace it. The path is valid until that process ends.

// Makes the plan in salloc and sets the variables in its environment. Call it when the environment describes the job.
// salloc holds the plan until it ends. `has_command` is false if salloc starts its default shell. Returns a message for
// the user, which is usually empty. Throws bad_alloc.
std::string plan_mpirun_of_salloc(bool has_command);

// Makes the plan in the process that becomes a batch script or the shell of an interactive step, as the user. That
// process holds the plan. The plan is computed in a child process with limited time, so a failure there does not
// prevent the start of the script. In other processes the function does nothing.
void plan_mpirun_of_script(spank_t spank);

// If this step runs the daemons of mpirun or mpiexec, returns the name of the daemon; otherwise an empty string. srun
// does not place the tasks of a step with daemons. It does not matter which daemon runs on which node. A daemon must
// not be bound, because its ranks need all cores of the job.
std::string launcher_daemon(spank_t spank);

// Warns the user of mpirun or mpiexec that its ranks are not placed by the job's policy `policy`, and names the command
// that places them. Writes nothing if `plan`, the plan in srun's environment, is in force, or if the user gave mpirun a
// rankfile or the plan's hostfile. Open MPI's mpirun drops srun's output, so the parent's standard error is used.
//   daemon          the result of launcher_daemon()
//   why_not_srun    why srun does not place ranks by the policy either; else empty
//   for_srun_alone  whether the job uses a stored profile (auto). Only srun finds it, because srun knows the program
void tell_launcher(std::string_view daemon, const std::string& policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone);

}  // namespace placement::spank

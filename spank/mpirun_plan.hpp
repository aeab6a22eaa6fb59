// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "spank/api/spank_api.hpp"

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
// process holds the plan. The plan is computed in a child process with limited time, so that a failure there
// does not keep the script from its start. In other processes the function does nothing.
void plan_mpirun_of_script(spank_t spank);

}  // namespace placement::spank

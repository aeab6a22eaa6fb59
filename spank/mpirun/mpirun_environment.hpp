// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

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

}  // namespace placement::spank

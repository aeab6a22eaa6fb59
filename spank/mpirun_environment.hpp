// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// The variables by which a job's script or shell tells Open MPI's mpirun the order of its ranks, and by which users and
// the commands of a job are told of it.

// Those of Open MPI: how ranks are mapped, and the hostfile.
inline constexpr const char* mapping_policy_variable = "OMPI_MCA_rmaps_base_mapping_policy";
inline constexpr const char* hostfile_variable = "OMPI_MCA_orte_default_hostfile";
inline constexpr const char* sequential_mapping = "seq";

// The user's switch: "no" leaves mpirun alone, "yes" makes the plan for batch scripts that do not name mpirun, too.
inline constexpr const char* mpirun_switch_variable = "PLACEMENT_MPIRUN";
// The file of the plan that is in force.
inline constexpr const char* mpirun_plan_variable = "PLACEMENT_HOSTFILE";
// Why there is no plan although one was wanted.
inline constexpr const char* mpirun_reason_variable = "PLACEMENT_HOSTFILE_REASON";

// What the environment of this process says of mpirun's plan.
struct MpirunPlan {
  bool in_force = false;  // there is one, and no variable of the user's stands against it
  std::string reason;     // why there is none; may be empty
};
MpirunPlan inherited_mpirun_plan();

// Takes the plan out of the environment: what srun starts is no mpirun, and sbatch and salloc begin other jobs.
void forget_mpirun_plan();

}  // namespace placement

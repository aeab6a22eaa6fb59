// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

namespace placement {

// The variable by which srun tells the tasks of its step their slots.
inline constexpr const char* plan_variable = "SLURM_PLACEMENT_CORES";

// In the task, as the user, after Slurm has bound it and just before its program starts: takes the
// share of the node's cores that the plan has for this rank, of those that Slurm dealt to the
// node's tasks. Leaves everything as it is when there is no plan for this very step.
void bind_task(spank_t spank);

}  // namespace placement

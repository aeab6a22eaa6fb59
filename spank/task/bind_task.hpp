// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/api/spank_api.hpp"

namespace placement::spank {

// The variable in which srun sends the numbers of the GPUs that the ranks of its step are to use (GpuOrder), in the
// form of a BindPlan.
inline constexpr const char* gpu_plan_variable = "SLURM_PLACEMENT_GPUS";

// Notes the GPUs that the step has on this node, for bind_task(). Call it in slurmstepd before the tasks are started.
void note_step_gpus(spank_t spank);

// Gives the task the GPUs of its node in the order of the plan, so that the program of the i-th task of the node, which
// uses the i-th GPU that it sees, has the GPU that is planned for it: rewrites the list of GPUs in its environment,
// such as CUDA_VISIBLE_DEVICES. Does nothing unless every task sees all GPUs of the node, and there are as many as
// tasks. Call it in the task before bind_task(), which then binds it to cores near this GPU.
void order_gpus(spank_t spank);

// Binds this task to the set of cores that the plan has for its rank, or to one near the GPUs that Slurm gives it. The
// sets are those that Slurm dealt to the node's tasks. Call it in the task, as the user, after Slurm has bound the task
// and before its program starts. Does nothing if there is no plan for this step, or if the task is not bound as Slurm
// says.
void bind_task(spank_t spank);

}  // namespace placement::spank

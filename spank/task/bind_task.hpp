// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/request/spank_api.hpp"

namespace placement::spank {

// Notes the GPUs that the step has on this node, for bind_task(). Call it in slurmstepd before the tasks are started.
void note_step_gpus(spank_t spank);

// Rewrites the list of GPUs in the task's environment, such as CUDA_VISIBLE_DEVICES, in the order of the plan. The i-th
// task of a node, which uses the i-th GPU that it sees, then uses its planned GPU. Does nothing unless every task sees
// all GPUs of the node, and the node has one GPU per task. Call it in the task before bind_task(), which then binds it
// to cores near this GPU.
void order_gpus(spank_t spank);

// Binds this task to the set of cores that the plan has for its rank, or to a set near the GPUs that Slurm gives the
// task. The sets are those that Slurm dealt to the tasks of the node. Call it in the task, as the user, after Slurm has
// bound the task and before its program starts. Does nothing if there is no plan for this step, or if the task's
// binding differs from the one that Slurm reports.
void bind_task(spank_t spank);

}  // namespace placement::spank

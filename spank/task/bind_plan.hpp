// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/gres_conf.hpp"
#include "spank/request/sent_plan.hpp"
#include "spank/task/cpu_masks.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::spank {

// The environment of a task: that of the calling process, or the one that slurmstepd gives to its program.
struct TaskVariables {
  std::function<std::optional<std::string>(const char* name)> get;
  std::function<void(const char* name, const std::string& value)> set;
};

// A task of a step, and the tasks next to it on its node.
struct LocalTask {
  std::uint32_t job = 0, step = 0, total = 0;  // IDs of job and step; number of tasks of the step
  int local = 0;                               // the number of the task on its node, from 0
  std::vector<std::uint32_t> local_ranks;      // the ranks of all tasks of the node
};

// The CPUs on which the calling process may run; nothing if the kernel does not report them.
std::optional<CpuMask> mask_in_force();

// Binds the calling process to the CPUs. Returns false and sets errno if the kernel refuses.
bool set_mask(const CpuMask& mask);

// Returns the cores of this machine.
const MachineCores& cores_here();

// Binds the calling process to the cores of its rank by `plan` (sent_plan.hpp). Slurm has dealt a mask to each task of
// the node, and the plan deals these masks out again. Nothing happens if Slurm has not bound the task.
//   step_gpus  the GPUs of the step on this node (SLURM_STEP_GPUS)
//   gpu_order the GPU of each task of the node, as an index into step_gpus, if the order was changed; else empty
// Returns why the task could not be bound; empty if it was, or if there is nothing to do.
std::string bind_by_plan(std::string_view plan, const LocalTask& task, const std::string& step_gpus,
                         const std::vector<std::int32_t>& gpu_order, const TaskVariables& variables);

// Returns the GPUs of this node by the gres.conf next to slurm.conf; nothing if it does not have them. With `detect`,
// those that Slurm finds by itself (AutoDetect=) are taken from the kernel.
std::optional<std::vector<GpuShape>> gpus_of_node(const TaskVariables& variables, bool detect);

}  // namespace placement::spank

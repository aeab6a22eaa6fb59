// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/gres_conf.hpp"
#include "spank/task/cpu_masks.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::spank {

// The set of cores to which each rank of a step is bound. Slurm deals the job's cores on a node out to the node's
// tasks, one set for each task. Slot s is the s-th set in the order of the node's cores.
struct BindPlan {
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  std::vector<std::int32_t> slot_of_rank;  // for each rank its slot, from 0 to the number of tasks on its node - 1
};

// The variable in which srun sends the plan of slots (BindPlan) to the tasks of its step.
inline constexpr const char* plan_variable = "SLURM_PLACEMENT_CORES";

// The longest text of a plan. The kernel allows less than 128 KiB for one string of an environment.
inline constexpr std::size_t most_plan_bytes = 120 * 1024;

// Returns the plan as text with one or two characters per rank. Returns nothing if a slot is not in 0..4095 or the text
// is longer than most_plan_bytes.
std::optional<std::string> encode_plan(const BindPlan& plan);

// Returns the slots of the tasks of one node, in the order of `local_ranks`, the ranks of the node. Returns nothing
// unless `text` is a plan for this job, step and `total` tasks that gives each rank of the node a different slot.
// Throws nothing but bad_alloc, because it runs in the task.
std::optional<std::vector<std::int32_t>> slots_for(std::string_view text, std::uint32_t job, std::uint32_t step,
                                                   std::uint32_t total, std::span<const std::uint32_t> local_ranks);

// The environment of a task: that of the calling process, or the one that slurmstepd gives to its program.
struct TaskVariables {
  std::function<std::optional<std::string>(const char* name)> get;
  std::function<void(const char* name, const std::string& value)> set;
};

// A task of a step, and the tasks next to it on its node.
struct LocalTask {
  std::uint32_t job = 0, step = 0, total = 0;
  int local = 0;                           // the number of the task on its node, from 0
  std::vector<std::uint32_t> local_ranks;  // the ranks of all tasks of the node
};

// The CPUs on which the calling process may run; nothing if the kernel does not report them.
std::optional<CpuMask> mask_in_force();

// Binds the calling process to the CPUs. Returns false and sets errno if the kernel refuses.
bool set_mask(const CpuMask& mask);

// Returns the cores of this machine.
const MachineCores& cores_here();

// Binds the calling process to the cores of its rank by `plan` (bind_plan.hpp). Slurm has dealt a mask to each task of
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

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

namespace placement::spank {

// How Slurm gives the GPUs of a node to its tasks.
struct GpusOfTasks {
  // Slurm chooses the GPUs of a task by the cores that it has dealt to the task, so the task has to stay on them.
  bool follow_cores = false;
  // The GPUs of each task, as indices into the node's GPUs; empty: not known, or no task has GPUs of its own.
  std::vector<std::vector<std::int32_t>> of_task;
};

// Returns the GPUs of each task of a node, in the order of the tasks. If every task sees all GPUs and there is one per
// task, the i-th task is assumed to use the i-th GPU, as by SLURM_LOCALID.
//   binding  SLURMD_TRES_BIND, such as "gres/gpu:per_task:1"; if it is empty, every task sees all GPUs
//   gpus     the GPUs that the step has on the node, ascending, in Slurm's count
//   tasks    the number of the step's tasks on the node
GpusOfTasks gpus_of_tasks(std::string_view binding, std::span<const std::int32_t> gpus, std::size_t tasks);

// Returns whether every task of a node sees all GPUs, and there is one GPU per task. The parameters are those of
// gpus_of_tasks().
bool all_see_all(std::string_view binding, std::span<const std::int32_t> gpus, std::size_t tasks);

// Returns the GPUs of a list "0,2,3" (SLURM_STEP_GPUS), ascending; none if it has another form.
std::vector<std::int32_t> parse_gpu_list(std::string_view list);

// Returns the list "0,1,2" with its parts in another order: part i of the result is part order[i] of `list`. `order` is
// a permutation of 0 to order.size() - 1. Returns nothing if the list has another number of parts.
std::optional<std::string> reordered_list(std::string_view list, std::span<const std::int32_t> order);

// Returns the variable whose order decides how a program numbers its GPUs, null if that is not known. Slurm may set the
// variables of all vendors at once, and some apply to the result of others.
//   file    the device file of the GPUs, as in gres.conf; it may be empty
//   is_set  returns whether a variable is set
const char* gpu_list_variable(std::string_view file, const std::function<bool(const char*)>& is_set);

// The cores of a machine: for each CPU of the kernel the number of its core in Slurm's count, and its
// package.
struct MachineCores {
  std::vector<std::int32_t> core_of_cpu;
  std::vector<std::int32_t> package_of_cpu;
};

// Returns the cores of a machine with the CPUs 0 to cpus - 1. Slurm, as hwloc, numbers packages by their lowest CPUs,
// and the cores of a package by theirs.
MachineCores machine_cores(int cpus, const PositionOf& position);

// Returns the slots of a node's tasks with the least sum of distances to their GPUs. The distance is 0 for a CPU of the
// mask near a GPU of the task, 1 for another CPU in the package of that GPU, else 2. Ties go to the slots closest to
// `slot_of_task`, the plan by the matrix. `slot_of_task` stays for more than 1,024 tasks, or with a GPU outside `gpus`.
//   sorted        the masks in the order of slots
//   gpus_of_task  the GPUs of each task, indices into `gpus`
//   gpus          the GPUs of the node; one whose cores are not known is near all
std::vector<std::int32_t> slots_near_gpus(std::span<const CpuMask> sorted, std::span<const std::int32_t> slot_of_task,
                                          std::span<const std::vector<std::int32_t>> gpus_of_task,
                                          std::span<const GpuShape> gpus, const MachineCores& machine);

}  // namespace placement::spank

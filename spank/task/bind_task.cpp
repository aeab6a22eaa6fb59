// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/bind_task.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "spank/api/task_environment.hpp"
#include "spank/task/bind_plan.hpp"
#include "spank/task/cpu_masks.hpp"
#include "spank/task/gpu_devices.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::spank {

namespace {

constexpr const char* bind_variable = "SLURM_CPU_BIND";
constexpr const char* bind_list_variable = "SLURM_CPU_BIND_LIST";
constexpr const char* bind_type_variable = "SLURM_CPU_BIND_TYPE";

// The GPUs that the step has on this node, as Slurm tells them before it binds the tasks; a task's own environment may
// have those of the task alone.
std::string& step_gpus() {
  static std::string gpus;
  return gpus;
}

// Which of the step's GPUs each task of the node uses, from 0 on, where order_gpus() has changed it; else empty.
std::vector<std::int32_t>& changed_order() {
  static std::vector<std::int32_t> order;
  return order;
}

struct Task {
  std::uint32_t job = 0, step = 0, total = 0;
  int local = 0;                           // the number of the task on its node, from 0
  std::vector<std::uint32_t> local_ranks;  // the ranks of all tasks of the node
};

std::optional<Task> this_task(spank_t spank) {
  Task task;
  std::uint32_t count = 0;
  if (spank_get_item(spank, S_JOB_ID, &task.job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_STEPID, &task.step) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &task.total) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &count) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_TASK_ID, &task.local) != ESPANK_SUCCESS)
    return std::nullopt;
  // A batch script looks like rank 0 of a step, but no plan is for it.
  if (task.step >= SLURM_MAX_NORMAL_STEP_ID || count > task.total) return std::nullopt;
  if (task.local < 0 || static_cast<std::uint32_t>(task.local) >= count) return std::nullopt;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t rank = 0;
    if (spank_get_item(spank, S_JOB_LOCAL_TO_GLOBAL_ID, i, &rank) != ESPANK_SUCCESS) return std::nullopt;
    task.local_ranks.push_back(rank);
  }
  return task;
}

// Returns the mask that Slurm's binding gave to each task of the node. Slurm repeats a list that is too short.
std::optional<std::vector<CpuMask>> masks_dealt(spank_t spank, std::size_t tasks) {
  const auto type = task_variable(spank, bind_type_variable);
  const auto list = task_variable(spank, bind_list_variable);
  if (!type || *type != "mask_cpu:" || !list) return std::nullopt;
  auto masks = parse_masks(*list);
  if (!masks) return std::nullopt;
  const std::size_t given = masks->size();
  masks->resize(tasks);
  for (std::size_t i = given; i < tasks; ++i) (*masks)[i] = (*masks)[i % given];
  return masks;
}

std::optional<CpuMask> mask_in_force() {
  CpuMask mask;
  if (sched_getaffinity(0, sizeof mask.word, reinterpret_cast<cpu_set_t*>(mask.word.data())) != 0) return std::nullopt;
  return mask;
}

bool set_mask(const CpuMask& mask) {
  return sched_setaffinity(0, sizeof mask.word, reinterpret_cast<const cpu_set_t*>(mask.word.data())) == 0;
}

// Writes the new masks to SLURM_CPU_BIND_LIST and SLURM_CPU_BIND, so that the program reads the binding in force.
void tell_program(spank_t spank, const std::vector<CpuMask>& masks) {
  const auto old_list = task_variable(spank, bind_list_variable);
  const auto old_bind = task_variable(spank, bind_variable);
  const std::string list = to_string(masks);
  spank_setenv(spank, bind_list_variable, list.c_str(), 1);
  if (!old_list || !old_bind || !old_bind->ends_with(*old_list)) return;
  const std::string bind = old_bind->substr(0, old_bind->size() - old_list->size()) + list;
  spank_setenv(spank, bind_variable, bind.c_str(), 1);
}

// Returns the GPUs of this node by the gres.conf beside slurm.conf; nothing if it does not tell them.
std::optional<std::vector<GpuShape>> gpus_of_node(spank_t spank) {
  const auto node = task_variable(spank, "SLURMD_NODENAME");
  try {
    return node ? read_gpu_shapes(gres_conf_path(), *node).shapes : std::nullopt;
  } catch (const Error&) {  // a site without a gres.conf
    return std::nullopt;
  }
}

const MachineCores& cores_here() {
  static const MachineCores machine =
      machine_cores(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), position_in_machine);
  return machine;
}

// Returns the GPUs of this node by the kernel, where Slurm finds them itself.
std::optional<std::vector<GpuShape>> gpus_found(spank_t spank) {
  const auto node = task_variable(spank, "SLURMD_NODENAME");
  try {
    return node && finds_gpus_itself(gres_conf_path(), *node) ? gpus_by_kernel("", cores_here()) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Deals the masks of the node's tasks out by `slots`, or so that each task is near the GPUs that Slurm gives it.
std::vector<CpuMask> deal(spank_t spank, const std::vector<CpuMask>& masks, const std::vector<std::int32_t>& slots) {
  const std::vector<std::int32_t>& cores = cores_here().core_of_cpu;
  const std::vector<std::int32_t> gpus = parse_gpu_list(step_gpus());
  GpusOfTasks taken = gpus_of_tasks(task_variable(spank, "SLURMD_TRES_BIND").value_or(""), gpus, masks.size());
  for (std::size_t i = 0; i < changed_order().size() && i < taken.of_task.size(); ++i)
    taken.of_task[i] = {gpus[static_cast<std::size_t>(changed_order()[i])]};
  if (!taken.follow_cores && taken.of_task.empty()) return deal_masks(masks, slots, cores);
  auto known = gpus_of_node(spank);
  if (!known) known = gpus_found(spank);
  const bool anywhere =
      known && std::all_of(known->begin(), known->end(), [](const GpuShape& gpu) { return gpu.cores.empty(); });
  if (anywhere || (!known && !taken.follow_cores)) return deal_masks(masks, slots, cores);
  if (taken.follow_cores) return masks;
  std::vector<std::int32_t> in_order(masks.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::vector<CpuMask> sorted = deal_masks(masks, in_order, cores);
  return deal_masks(masks, slots_near_gpus(sorted, slots, taken.of_task, *known, cores_here()), cores);
}

}  // namespace

void note_step_gpus(spank_t spank) { step_gpus() = task_variable(spank, "SLURM_STEP_GPUS").value_or(""); }

void order_gpus(spank_t spank) {
  const auto plan = task_variable(spank, gpu_plan_variable);
  if (!plan) return;
  spank_unsetenv(spank, gpu_plan_variable);  // the program does not need it

  const auto task = this_task(spank);
  if (!task) return;
  const auto order = slots_for(*plan, task->job, task->step, task->total, task->local_ranks);
  const std::vector<std::int32_t> gpus = parse_gpu_list(step_gpus());
  if (!order || !all_see_all(task_variable(spank, "SLURMD_TRES_BIND").value_or(""), gpus, order->size())) return;
  const auto known = gpus_of_node(spank);
  if (!known || known->size() <= static_cast<std::size_t>(gpus.back())) return;
  const char* const variable =
      gpu_list_variable(known->front().file, [&](const char* name) { return task_variable(spank, name).has_value(); });
  const auto list = variable ? reordered_list(*task_variable(spank, variable), *order) : std::nullopt;
  if (!list || spank_setenv(spank, variable, list->c_str(), 1) != ESPANK_SUCCESS) return;
  changed_order() = *order;
}

void bind_task(spank_t spank) {
  const auto plan = task_variable(spank, plan_variable);
  if (!plan) return;
  spank_unsetenv(spank, plan_variable);  // the program does not need it

  const auto task = this_task(spank);
  if (!task) return;
  const auto slots = slots_for(*plan, task->job, task->step, task->total, task->local_ranks);
  if (!slots) return;
  const auto masks = masks_dealt(spank, task->local_ranks.size());
  const auto now = mask_in_force();
  const auto local = static_cast<std::size_t>(task->local);
  if (!masks || !now || *now != (*masks)[local]) return;  // the task is not bound, or something else has bound it

  const std::vector<CpuMask> dealt = deal(spank, *masks, *slots);
  if (dealt[local] != *now && !set_mask(dealt[local])) {
    slurm_debug("placement: cannot bind rank %u: %s", task->local_ranks[local], std::strerror(errno));
    return;
  }
  tell_program(spank, dealt);
}

}  // namespace placement::spank

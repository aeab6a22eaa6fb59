// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/bind_task.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "spank/task/bind_plan.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::spank {

namespace {

// The GPUs that the step has on this node, as Slurm lists them before it binds the tasks. A task's own environment may
// list the GPUs of the task alone.
std::string step_gpus;

// If order_gpus() changed the order: for each task of the node, the index of its GPU in the step's list. Else empty.
std::vector<std::int32_t> changed_order;

std::optional<LocalTask> this_task(spank_t spank) {
  LocalTask task;
  std::uint32_t count = 0;
  const auto number = step_number(spank);  // a batch script looks like rank 0 of a step, but no plan is for it
  if (!number || spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &task.total) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &count) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_TASK_ID, &task.local) != ESPANK_SUCCESS)
    return std::nullopt;
  if (count > task.total || task.local < 0 || static_cast<std::uint32_t>(task.local) >= count) return std::nullopt;
  std::tie(task.job, task.step) = *number;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t rank = 0;
    if (spank_get_item(spank, S_JOB_LOCAL_TO_GLOBAL_ID, i, &rank) != ESPANK_SUCCESS) return std::nullopt;
    task.local_ranks.push_back(rank);
  }
  return task;
}

TaskVariables variables_of(spank_t spank) {
  return {[spank](const char* name) { return task_variable(spank, name); },
          [spank](const char* name, const std::string& value) { spank_setenv(spank, name, value.c_str(), 1); }};
}

}  // namespace

void note_step_gpus(spank_t spank) { step_gpus = task_variable(spank, "SLURM_STEP_GPUS").value_or(""); }

void order_gpus(spank_t spank) {
  const auto plan = task_variable(spank, gpu_plan_variable);
  if (!plan) return;
  spank_unsetenv(spank, gpu_plan_variable);  // the program does not need it

  const auto task = this_task(spank);
  if (!task) return;
  const auto order = slots_for(*plan, task->job, task->step, task->total, task->local_ranks);
  const std::vector<std::int32_t> gpus = parse_gpu_list(step_gpus);
  if (!order || !all_see_all(task_variable(spank, "SLURMD_TRES_BIND").value_or(""), gpus, order->size())) return;
  const auto known = gpus_of_node(variables_of(spank), false);
  if (!known || known->size() <= static_cast<std::size_t>(gpus.back())) return;
  const char* const variable =
      gpu_list_variable(known->front().file, [&](const char* name) { return task_variable(spank, name).has_value(); });
  const auto list = variable ? reordered_list(*task_variable(spank, variable), *order) : std::nullopt;
  if (!list || spank_setenv(spank, variable, list->c_str(), 1) != ESPANK_SUCCESS) return;
  changed_order = *order;
}

void bind_task(spank_t spank) {
  const auto plan = task_variable(spank, plan_variable);
  if (!plan) return;
  spank_unsetenv(spank, plan_variable);  // the program does not need it

  const auto task = this_task(spank);
  if (!task) return;
  const std::string failed = bind_by_plan(*plan, *task, step_gpus, changed_order, variables_of(spank));
  if (!failed.empty()) slurm_debug("placement: %s", failed.c_str());
}

}  // namespace placement::spank

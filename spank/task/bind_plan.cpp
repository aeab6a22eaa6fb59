// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/bind_plan.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "spank/task/gpu_devices.hpp"

namespace placement::spank {

namespace {

constexpr const char* bind_variable = "SLURM_CPU_BIND";
constexpr const char* bind_list_variable = "SLURM_CPU_BIND_LIST";
constexpr const char* bind_type_variable = "SLURM_CPU_BIND_TYPE";

// Returns the mask that Slurm's binding gave to each task of the node. Slurm repeats a list that is too short.
std::optional<std::vector<CpuMask>> masks_dealt(const TaskVariables& variables, std::size_t tasks) {
  const auto type = variables.get(bind_type_variable);
  const auto list = variables.get(bind_list_variable);
  if (!type || *type != "mask_cpu:" || !list) return std::nullopt;
  auto masks = parse_masks(*list);
  if (!masks) return std::nullopt;
  const std::size_t given = masks->size();
  masks->resize(tasks);
  for (std::size_t i = given; i < tasks; ++i) (*masks)[i] = (*masks)[i % given];
  return masks;
}

// Writes the new masks to SLURM_CPU_BIND_LIST and SLURM_CPU_BIND, so that the program reads the binding in force.
void tell_program(const TaskVariables& variables, const std::vector<CpuMask>& masks) {
  const auto old_list = variables.get(bind_list_variable);
  const auto old_bind = variables.get(bind_variable);
  const std::string list = mask_list(masks);
  variables.set(bind_list_variable, list);
  if (!old_list || !old_bind || !old_bind->ends_with(*old_list)) return;
  const std::string bind = old_bind->substr(0, old_bind->size() - old_list->size()) + list;
  variables.set(bind_variable, bind);
}

// Deals the masks of the node's tasks out by `slots`, or so that each task is near the GPUs that Slurm gives it.
std::vector<CpuMask> deal(const TaskVariables& variables, const std::vector<CpuMask>& masks,
                          const std::vector<std::int32_t>& slots, const std::string& step_gpus,
                          const std::vector<std::int32_t>& gpu_order) {
  const std::vector<std::int32_t>& cores = cores_here().core_of_cpu;
  const std::vector<std::int32_t> gpus = parse_gpu_list(step_gpus);
  GpusOfTasks taken = gpus_of_tasks(variables.get("SLURMD_TRES_BIND").value_or(""), gpus, masks.size());
  for (std::size_t i = 0; i < gpu_order.size() && i < taken.of_task.size(); ++i)
    taken.of_task[i] = {gpus[static_cast<std::size_t>(gpu_order[i])]};
  if (!taken.follow_cores && taken.of_task.empty()) return deal_masks(masks, slots, cores);
  const auto known = gpus_of_node(variables, true);
  const bool anywhere = known && std::ranges::all_of(*known, [](const GpuShape& gpu) { return gpu.cores.empty(); });
  if (anywhere || (!known && !taken.follow_cores)) return deal_masks(masks, slots, cores);
  if (taken.follow_cores) return masks;
  std::vector<std::int32_t> in_order(masks.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::vector<CpuMask> sorted = deal_masks(masks, in_order, cores);
  return deal_masks(masks, slots_near_gpus(sorted, slots, taken.of_task, *known, cores_here()), cores);
}

}  // namespace

std::optional<CpuMask> mask_in_force() {
  CpuMask mask;
  if (sched_getaffinity(0, sizeof mask.word, reinterpret_cast<cpu_set_t*>(mask.word.data())) != 0) return std::nullopt;
  return mask;
}

bool set_mask(const CpuMask& mask) {
  return sched_setaffinity(0, sizeof mask.word, reinterpret_cast<const cpu_set_t*>(mask.word.data())) == 0;
}

const MachineCores& cores_here() {
  static const MachineCores machine =
      machine_cores(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), position_in_machine);
  return machine;
}

std::optional<std::vector<GpuShape>> gpus_of_node(const TaskVariables& variables, bool detect) {
  const auto node = variables.get("SLURMD_NODENAME");
  if (!node) return std::nullopt;
  try {
    NodeGpus gpus = read_gpu_shapes(gres_conf_path(), *node);
    return detect && gpus.detected && !gpus.shapes ? gpus_by_kernel("", cores_here()) : std::move(gpus.shapes);
  } catch (const Error&) {  // a site without a gres.conf
    return std::nullopt;
  }
}

std::string bind_by_plan(std::string_view plan, const LocalTask& task, const std::string& step_gpus,
                         const std::vector<std::int32_t>& gpu_order, const TaskVariables& variables) {
  const auto slots = slots_for(plan, task.job, task.step, task.total, task.local_ranks);
  if (!slots) return "the plan of cores belongs to another step";
  const auto masks = masks_dealt(variables, task.local_ranks.size());
  const auto now = mask_in_force();
  const auto local = static_cast<std::size_t>(task.local);
  if (!masks || !now || *now != (*masks)[local]) return {};  // the task is not bound, or something else has bound it

  const std::vector<CpuMask> dealt = deal(variables, *masks, *slots, step_gpus, gpu_order);
  if (dealt[local] != *now && !set_mask(dealt[local]))
    return "cannot bind rank " + std::to_string(task.local_ranks[local]) + ": " + std::strerror(errno);
  tell_program(variables, dealt);
  return {};
}

}  // namespace placement::spank

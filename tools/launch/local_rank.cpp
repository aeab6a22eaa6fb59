// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/local_rank.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "common/util/text.hpp"
#include "spank/task/gpu_devices.hpp"

namespace placement::tools {

namespace {

using spank::CpuMask;
using Numbers = std::vector<std::int32_t>;

// Divides the allowed CPUs into `parts` sets of successive whole cores. Returns none if there are fewer cores than
// parts.
std::vector<CpuMask> divided(const CpuMask& allowed, std::size_t parts, const spank::MachineCores& machine) {
  std::map<std::int32_t, std::vector<int>> cpus_of_core;
  for (std::size_t cpu = 0; cpu < machine.core_of_cpu.size() && cpu < CpuMask::cpus; ++cpu)
    if (allowed.has(static_cast<int>(cpu))) cpus_of_core[machine.core_of_cpu[cpu]].push_back(static_cast<int>(cpu));
  if (cpus_of_core.size() < parts) return {};
  std::vector<CpuMask> masks(parts);
  std::size_t before = 0;
  for (const auto& [core, cpus] : cpus_of_core) {
    for (const int cpu : cpus) masks[before * parts / cpus_of_core.size()].add(cpu);
    ++before;
  }
  return masks;
}

// The GPUs of the node and of the task.
struct Gpus {
  std::vector<GpuShape> of_node;
  Numbers of_task;      // indices into of_node
  std::string unknown;  // why the GPUs of the task are not known; otherwise empty
};

Gpus gpus_of_task(const std::string& root, const spank::MachineCores& machine, const spank::TaskVariables& variables) {
  Gpus gpus;
  const auto known = spank::gpus_by_kernel(root, machine);
  if (!known) return {{}, {}, "this node has no GPUs, or GPUs of several kinds, or divided GPUs"};
  gpus.of_node = *known;
  const auto step = variables.get("SLURM_STEP_GPUS");
  gpus.of_task = spank::parse_gpu_list(step ? *step : variables.get("SLURM_JOB_GPUS").value_or(""));
  if (gpus.of_task.empty()) {
    gpus.of_task.resize(known->size());
    std::iota(gpus.of_task.begin(), gpus.of_task.end(), 0);
  }
  if (static_cast<std::size_t>(gpus.of_task.back()) >= known->size())
    return {{},
            {},
            "Slurm has given GPU " + std::to_string(gpus.of_task.back()) + ", but this node has " +
                std::to_string(known->size())};
  return gpus;
}

// Returns the names in `value`, the value of `variable`, which lists the GPUs that the program can see. Sorts of_task
// in the order of the names. If devices are constrained, Slurm numbers the names within the task, otherwise within the
// node. Without a value, the task must have all GPUs of the node. If `value` does not list the GPUs of the task, sets
// gpus.unknown to the reason.
std::vector<std::string> take_visible(const char* variable, const std::optional<std::string>& value, Gpus& gpus) {
  std::vector<std::string> names;
  const auto unknown = [&](const std::string& why) {
    gpus.unknown = variable + why;
    return names;
  };
  if (!value) {
    for (const std::int32_t gpu : gpus.of_task) names.push_back(std::to_string(gpu));
    return gpus.of_task.size() == gpus.of_node.size() ? names : unknown(" is not set");
  }
  for (const std::string_view name : split_at(*value, ',')) names.emplace_back(name);
  if (names.size() != gpus.of_task.size())
    return unknown(" has " + std::to_string(names.size()) + " GPUs, and the task has " +
                   std::to_string(gpus.of_task.size()));
  Numbers ordered;
  for (const std::string& name : names) ordered.push_back(static_cast<std::int32_t>(parse_integer(name).value_or(-1)));
  if (!std::ranges::is_permutation(ordered, gpus.of_task)) {
    Numbers of_part(names.size());
    std::iota(of_part.begin(), of_part.end(), 0);
    if (!std::ranges::is_permutation(ordered, of_part))
      return unknown("=" + *value + " does not list the numbers of the task's GPUs");
    for (std::int32_t& gpu : ordered) gpu = gpus.of_task[gpu];
  }
  gpus.of_task = ordered;
  return names;
}

}  // namespace

std::optional<Child> this_child(const spank::TaskVariables& variables) {
  const auto number = parse_integer(variables.get("LOCAL_RANK").value_or(""));
  const auto of_torchrun = variables.get("LOCAL_WORLD_SIZE");
  const auto children = parse_integer(of_torchrun ? *of_torchrun : variables.get("LOCAL_SIZE").value_or(""));
  if (!number || !children || *number < 0 || *number >= *children) return std::nullopt;
  return Child{static_cast<std::size_t>(*number), static_cast<std::size_t>(*children)};
}

ChildPlace place_child(const Child& child, const CpuMask& allowed, const spank::MachineCores& machine,
                       const std::string& root, bool one_gpu, const spank::TaskVariables& variables) {
  ChildPlace place;
  Gpus gpus = gpus_of_task(root, machine, variables);
  const char* const variable = spank::visible_gpus_variable(root);
  std::vector<std::string> visible;
  if (gpus.unknown.empty()) visible = take_visible(variable, variables.get(variable), gpus);
  place.gpus_unknown = gpus.unknown;

  const auto gpu_of = [&](std::size_t number) { return gpus.of_task[number % gpus.of_task.size()]; };
  if (std::vector<CpuMask> masks = divided(allowed, child.children, machine); !masks.empty()) {
    Numbers slots(child.children);
    std::iota(slots.begin(), slots.end(), 0);
    if (gpus.unknown.empty()) {
      std::vector<Numbers> of_child;
      for (std::size_t number = 0; number < child.children; ++number) of_child.push_back({gpu_of(number)});
      slots = spank::slots_near_gpus(masks, slots, of_child, gpus.of_node, machine);
    }
    place.cpus = masks[slots[child.number]];
  }
  if (!gpus.unknown.empty()) return place;

  const auto set = [&](const char* name, const std::string& value) {
    if (!variables.get(name)) place.environment.emplace_back(name, value);
  };
  const std::string list = one_gpu ? visible[child.number % visible.size()] : joined(visible, ",");
  place.environment.emplace_back(variable, list);
  if (std::string_view(variable).starts_with("CUDA")) set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  const std::vector<std::string> interfaces = spank::interfaces_near_gpus(root);
  if (interfaces.empty()) return place;
  const std::string& nearest = interfaces[gpu_of(child.number)];
  set("UCX_NET_DEVICES", nearest);
  set("NCCL_IB_HCA", "=" + nearest);
  return place;
}

}  // namespace placement::tools

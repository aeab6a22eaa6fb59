// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spank/task/bind_plan.hpp"
#include "spank/task/cpu_masks.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::tools {

// One of the processes that a launcher with one task per node starts on a node.
struct Child {
  std::size_t number;    // below `children`
  std::size_t children;  // 1 or more
};

// The CPUs and variables of a child.
struct ChildPlace {
  std::optional<spank::CpuMask> cpus;                            // nothing: the child keeps its CPUs
  std::vector<std::pair<std::string, std::string>> environment;  // variables to set
  std::string gpus_unknown;  // why the child gets no GPU and no network interface of its own; otherwise empty
};

// Returns which child this process is. `number` is LOCAL_RANK; `children` is LOCAL_WORLD_SIZE (torchrun) or LOCAL_SIZE
// (deepspeed). Returns nothing if these variables are not set or are not valid numbers.
std::optional<Child> this_child(const spank::TaskVariables& variables);

// Returns the CPUs and variables of one child of a task. Divides `allowed`, the CPUs of the task, among its children,
// and gives each child the part near its GPU. Child i uses GPU number i modulo the number of the task's GPUs. With
// fewer cores than children, each child keeps all CPUs.
//   machine   the cores of this node
//   root      prefix of /sys and /proc, empty outside of tests
//   one_gpu   the child sees only its own GPU; else all GPUs of the task, in their order
ChildPlace place_child(const Child& child, const spank::CpuMask& allowed, const spank::MachineCores& machine,
                       const std::string& root, bool one_gpu, const spank::TaskVariables& variables);

}  // namespace placement::tools

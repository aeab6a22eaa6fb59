// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/topology/gres_conf.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::spank {

// Returns the GPUs of this node with the cores next to each, as the kernel lists them (local_cpulist), in the order of
// their PCI addresses. Slurm numbers GPUs in this order if it detects them (AutoDetect=nvml or rsmi in gres.conf).
// Returns nothing if that order is uncertain. It is uncertain if neither or both of the drivers nvidia and amdgpu have
// devices, or if the GPUs are of several models, because Slurm sorts models. It is also uncertain if a GPU is divided
// (MIG) or unknown to the kernel. `root` is the prefix of /sys and /proc, empty outside of tests.
std::optional<std::vector<GpuShape>> gpus_by_kernel(const std::string& root, const MachineCores& machine);

}  // namespace placement::spank

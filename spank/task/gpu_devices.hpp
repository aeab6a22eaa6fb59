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
// Returns nothing if that order is unsure. It is so if neither or both of nvidia and amdgpu drive devices, or GPUs have
// several models, which Slurm sorts. It is also unsure if one is divided (MIG) or unknown to the kernel. `root` is the
// prefix of /sys and /proc, empty outside of tests.
std::optional<std::vector<GpuShape>> gpus_by_kernel(const std::string& root, const MachineCores& machine);

}  // namespace placement::spank

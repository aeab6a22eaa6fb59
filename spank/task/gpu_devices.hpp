// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/topology/gres_conf.hpp"
#include "spank/task/gpu_tasks.hpp"

namespace placement::spank {

// Returns the GPUs of this node with the cores next to each, as the kernel lists them (local_cpulist), in the order of
// their PCI addresses: where Slurm finds the GPUs itself (AutoDetect=nvml and rsmi of gres.conf), its numbers have this
// order. Returns nothing where that cannot be relied on: if neither nvidia nor amdgpu drives devices, or both do, if
// they are of several models, which Slurm sorts, if one is divided (MIG), or if the kernel does not tell of one. `root`
// is before /sys and /proc, empty but in tests.
std::optional<std::vector<GpuShape>> gpus_by_kernel(const std::string& root, const MachineCores& machine);

}  // namespace placement::spank

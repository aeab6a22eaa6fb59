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

// Returns for each GPU of gpus_by_kernel() the nearest RDMA interface with an active port, such as "mlx5_0:1"; empty if
// the node has no active interface. An interface of InfiniBand precedes one of Ethernet. The nearest interface shares
// the most PCI bridges with the GPU, else the NUMA node. Equally near interfaces are used in turn.
std::vector<std::string> interfaces_near_gpus(const std::string& root);

// Returns the variable with the GPUs that a program sees: CUDA_VISIBLE_DEVICES if NVIDIA's driver has a device, else
// ROCR_VISIBLE_DEVICES.
const char* visible_gpus_variable(const std::string& root);

}  // namespace placement::spank

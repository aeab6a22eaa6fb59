// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "tools/map/node_gpus.hpp"
#include "tools/output/json.hpp"

namespace placement::tools {

// Returns lines "rank node gpu cpus nic": the GPU as Slurm numbers it, the CPUs of the rank as the kernel numbers them,
// such as "0-7,64-71", and the nearest network interface, or "-".
std::string format_gpu_places(const GpuTask& gpu, const GpuOutcome& outcome, const ClusterView& view,
                              const std::vector<RankPlace>& places);

// Returns the options with which srun gives the ranks of each node these GPUs and CPUs, separated by blanks.
std::string srun_options(const GpuTask& gpu, const GpuOutcome& outcome);

// Returns a summary for people.
std::string format_gpu_summary(const GpuTask& gpu, const GpuOutcome& outcome);

// Writes the member "gpus" of the report in JSON. The places are those of a rank's number within its node.
void write_gpus(JsonWriter& json, const GpuTask& gpu, const GpuOutcome& outcome);

}  // namespace placement::tools

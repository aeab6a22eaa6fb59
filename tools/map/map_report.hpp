// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "tools/map/map_run.hpp"
#include "tools/map/node_gpus.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

// The output formats of `placectl map`.

// Returns lines "rank node cores". Cores are numbered within the node; "-" means that ranks share cores.
std::string format_places(const ClusterView& view, const std::vector<RankPlace>& places);

// Returns lines with hop-bytes, busiest link, abort probability and expected time. The run time may be 0: not known.
std::string format_assessment(const tofa::Assessment& assessment, double job_seconds);

// Writes the numbers of format_assessment() as members of an object.
void assessment_json(JsonWriter& json, const tofa::Assessment& assessment, double job_seconds);

// Returns a summary for people: the cost, compared with the baselines, and the time of the decision.
std::string format_summary(const MapTask& task, const MapOutcome& outcome);

// Returns all results as JSON. The mapping itself is included only if `with_mapping` is set.
std::string format_json(const MapTask& task, const MapOutcome& outcome, bool with_mapping,
                        const std::optional<GpuTask>& gpu);

// Returns lines "rank node gpu cpus nic". `gpu` is Slurm's number and `cpus` the kernel's numbers, such as "0-7,64-71".
// `nic` is the nearest network interface, or "-".
std::string format_gpu_places(const GpuTask& gpu, const ClusterView& view, const std::vector<RankPlace>& places);

// Returns the options with which srun gives the ranks of each node these GPUs and CPUs, separated by blanks.
std::string srun_options(const GpuTask& gpu);

// Returns a summary for people.
std::string format_gpu_summary(const GpuTask& gpu);

}  // namespace placement::tools

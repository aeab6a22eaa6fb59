// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement::spank {

// The set of cores to which each rank of a step is bound. Slurm deals the job's cores on a node out to the node's
// tasks, one set for each task. Slot s is the s-th set in the order of the node's cores.
struct BindPlan {
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  std::vector<std::int32_t> slot_of_rank;  // for each rank its slot, from 0 to the number of tasks on its node - 1
};

// The variable in which srun sends the plan of slots (BindPlan) to the tasks of its step.
inline constexpr const char* plan_variable = "SLURM_PLACEMENT_CORES";

// The variable in which srun sends the planned GPUs of the ranks of its step (GpuOrder), in the form of a BindPlan.
inline constexpr const char* gpu_plan_variable = "SLURM_PLACEMENT_GPUS";

// The longest text of a plan. The kernel allows less than 128 KiB for one string of an environment.
inline constexpr std::size_t most_plan_bytes = 120 * 1024;

// Returns the plan as text with one or two characters per rank. Returns nothing if a slot is not in 0..4095 or the text
// is longer than most_plan_bytes.
std::optional<std::string> encode_plan(const BindPlan& plan);

// Returns the slots of the tasks of one node, in the order of `local_ranks`, the ranks of the node. Returns nothing
// unless `text` is a plan for this job, step and `total` tasks that gives each rank of the node a different slot.
// Throws nothing but bad_alloc, because it runs in the task.
std::optional<std::vector<std::int32_t>> slots_for(std::string_view text, std::uint32_t job, std::uint32_t step,
                                                   std::uint32_t total, std::span<const std::uint32_t> local_ranks);

}  // namespace placement::spank

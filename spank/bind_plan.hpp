// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Which of the shares of a node that Slurm deals out goes to which task: slot s is the s-th share
// in the order of the node's cores. One number per rank of the step, 0..tasks of its node - 1.
struct BindPlan {
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  std::vector<std::int32_t> slot_of_rank;
};

// One string of an environment must stay below 128 KiB.
inline constexpr std::size_t most_plan_bytes = 120 * 1024;

// The plan as text, one or two characters per rank; nothing when a slot is out of 0..4095 or the
// text grows too long.
std::optional<std::string> encode_plan(const BindPlan& plan);

// Of the tasks of one node, given by their ranks: the slot of each. Nothing unless the text is a
// plan for exactly this step of `total` tasks that gives each of them a slot of its own. Never
// throws: it runs in the task.
std::optional<std::vector<std::int32_t>> slots_for(std::string_view text, std::uint32_t job,
                                                   std::uint32_t step, std::uint32_t total,
                                                   std::span<const std::uint32_t> local_ranks);

}  // namespace placement

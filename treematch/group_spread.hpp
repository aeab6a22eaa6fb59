// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace placement::treematch {

// A part of a group that is on one leaf switch.
struct SwitchShare {
  std::int32_t on = 0;     // index of the leaf switch
  std::int32_t tasks = 0;  // number of the group's tasks there, at least 1
};

// Distributes groups of tasks over leaf switches, the largest groups first. A group gets the leaf switch or pair of
// leaf switches with the least sufficient room, or else the switches with the most room. Returns the shares of each
// group in the order of `sizes`, or nothing if it finds none within tuning::most_steps_of_spread steps.
//   room   number of tasks that each leaf switch has room for, at least 0
//   sizes  number of tasks of each group, at least 1
//   span   largest number of leaf switches of a group, at least 1
std::optional<std::vector<std::vector<SwitchShare>>> spread_groups(std::span<const std::int32_t> room,
                                                                   std::span<const std::int32_t> sizes,
                                                                   std::int32_t span);

}  // namespace placement::treematch

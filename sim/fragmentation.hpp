// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "sim/machine.hpp"

namespace placement::sim {

// The sizes of the largest jobs that fit below one leaf switch, and into one subtree just below the root, in cores.
struct LargestRoom {
  std::int64_t in_switch = 0;
  std::int64_t in_subtree = 0;
};

// Returns the sizes where node n of the machine has free[n] free cores.
LargestRoom largest_room(const Machine& machine, std::span<const std::int32_t> free);

}  // namespace placement::sim

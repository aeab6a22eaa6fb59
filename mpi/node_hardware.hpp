// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>

namespace placement {

// Where a process may run within its node: package, last-level cache, core, as numbered by hwloc; -1
// from the level on where its binding spans several.
struct NodePosition {
  static constexpr std::size_t levels = 3;
  std::array<std::int64_t, levels> path{-1, -1, -1};
};

// The position of this process by its CPU binding. All -1 when it has none, or the hardware cannot be read.
NodePosition node_position();

}  // namespace placement

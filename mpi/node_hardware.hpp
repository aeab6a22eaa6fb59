// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>

namespace placement::mpi {

// The place where a process may run within its node: package, last-level cache and core, as numbered by hwloc. A level
// has -1 when the binding of the process spans several objects of it.
struct NodePosition {
  static constexpr std::size_t levels = 3;
  std::array<std::int64_t, levels> path{-1, -1, -1};
};

// Returns the position of this process by its CPU binding. All levels are -1 when it is not bound or the hardware
// cannot be read.
NodePosition node_position();

}  // namespace placement::mpi

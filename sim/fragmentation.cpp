// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fragmentation.hpp"

#include <algorithm>
#include <vector>

namespace placement::sim {

LargestRoom largest_room(const Machine& machine, std::span<const std::int32_t> free) {
  const TreeTopology& tree = *machine.view().tree;
  std::vector<std::int64_t> cores(static_cast<std::size_t>(machine.switches()), 0);
  for (std::int32_t n = 0; n < machine.nodes(); ++n) cores[machine.switch_of(n)] += free[n];
  LargestRoom room;
  // Leaf switches are numbered from left to right, so that those of one subtree have consecutive numbers.
  std::int32_t subtree = -1;
  std::int64_t in_subtree = 0;
  for (std::int32_t s = 0; s < machine.switches(); ++s) {
    std::int32_t top = machine.switch_vertex(s);
    while (top > 0 && tree.parent(top) > 0) top = tree.parent(top);
    if (top != subtree) in_subtree = 0;
    subtree = top;
    in_subtree += cores[s];
    room.in_switch = std::max(room.in_switch, cores[s]);
    room.in_subtree = std::max(room.in_subtree, in_subtree);
  }
  return room;
}

}  // namespace placement::sim

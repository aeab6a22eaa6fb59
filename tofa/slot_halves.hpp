// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/torus_search.hpp"

namespace placement {

struct SlotCut {
  std::size_t dimension = 0;
  std::size_t first = 0;  // slots in the first half
};

// Sorts the slots along the dimension in which they reach farthest (the last of equal ones; in a ring from behind
// the widest gap on), and tells where to cut them in two: near the middle, and if possible between positions. None
// when they are all at one position.
std::optional<SlotCut> cut_slots(const TorusSlots& slots, std::vector<std::int32_t>& among);

}  // namespace placement

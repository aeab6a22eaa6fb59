// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tofa/torus_search.hpp"

namespace placement {

// A set of slots, cut in two again and again down to single positions: across the dimension in which a part reaches
// farthest (the last of equal ones; in a ring from behind the widest gap on), and near the middle.
enum class CutAt {
  positions,  // as near to the middle as can be between positions
  planes,     // between coordinates where that is not far off: what is a grid stays one
};

struct SlotCuts {
  struct Part {
    std::int32_t begin, end;      // in `slots`
    std::int32_t middle = -1;     // where its second half begins; -1: it is not cut
    std::size_t dimension = 0;    // across which it is cut
    std::int32_t first_half = -1; // the number of its first half; the second one has the next
  };

  std::vector<std::int32_t> slots;  // those of each part together
  std::vector<Part> parts;          // the whole first, larger ones before smaller ones

  std::int32_t centre(const Part& part) const { return slots[part.begin + (part.end - part.begin) / 2]; }
};

SlotCuts cut_all(const TorusSlots& slots, std::vector<std::int32_t> among, CutAt where, const WorkBudget& watch);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tofa/torus_search.hpp"

namespace placement::tofa {

// The place where a set of slots is cut in two.
enum class CutAt {
  positions,  // between two positions, as near to the middle as possible
  planes,     // between two coordinates near the middle if possible, so grids remain grids
};

// A recursive bisection of a set of slots, down to single positions. Each part is cut across the dimension in which it
// has the most different coordinates; ties go to the last dimension. A ring is opened behind its widest gap.
struct SlotCuts {
  struct Part {
    std::int32_t begin, end;       // range of indices in `slots`
    std::int32_t middle = -1;      // index where the second half begins; -1: the part is not cut
    std::size_t dimension = 0;     // dimension across which it is cut
    std::int32_t first_half = -1;  // index of the first half in `parts`; the second half follows it
  };

  std::vector<std::int32_t> slots;  // the slots of a part are contiguous
  std::vector<Part> parts;          // the whole set first; halves come after their part

  // Returns the slot in the middle of a part.
  std::int32_t centre(const Part& part) const { return slots[part.begin + (part.end - part.begin) / 2]; }
};

// Bisects the slots `among` (indices into `slots`) until each part is at one position. Throws OutOfTime.
SlotCuts cut_all(const TorusSlots& slots, std::vector<std::int32_t> among, CutAt where,
                 const mapping::WorkBudget& watch);

// Returns the nodes of a torus in one row, in which consecutive nodes form a compact block: the order of the slots in
// cut_all(). It depends only on the topology, not on health or load.
std::vector<std::int32_t> nodes_in_a_row(const TorusTopology& torus);

}  // namespace placement::tofa

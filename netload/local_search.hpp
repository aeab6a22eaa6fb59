// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "netload/group_search.hpp"

namespace placement::netload {

// Improves a group by a local search while T_G falls, by the sums of `choice`. A step omits a node that is not needed,
// exchanges a node for one outside, adds a node that replaces several, or replaces a node by several. Returns a group
// that is never worse than `group`. The number of steps is bounded; at the deadline the search ends with the best
// group.
Group improved_group(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice,
                     const Group& group, const Deadline& deadline);

}  // namespace placement::netload

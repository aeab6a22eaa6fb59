// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "netload/group_search.hpp"

namespace placement {

// From the group on, as long as T_G falls: the best exchange of a node for one outside, and the best omission of
// a node that is not needed, by the sums of `choice`. Never worse than the group; a bounded number of steps.
Group improved_group(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice,
                     const Group& group, const Deadline& deadline);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "netload/group_search.hpp"

namespace placement::netload {

// Returns the group with the least regret, with its T_G by the sums of choose_group(). The run time of a group, where
// communication takes the share a of it on the best nodes, is
//   (1 - a) slowest node / slowest of the fastest group + a network / network of the best group
// with the mean network load of its pairs as network. The regret of a group is its run time divided by the least run
// time of all groups for that share, for the share in input.shares for which this is most. Groups compared are those of
// choose_group() among the nodes up to several slowdowns, and simple_groups(). The run time is linear in a and the
// least one concave, so that the regret is most at an end of the range. Throws Error where choose_group() does.
GroupChoice choose_by_regret(const GroupInput& input, const GroupRequest& request, const Deadline& deadline);

}  // namespace placement::netload

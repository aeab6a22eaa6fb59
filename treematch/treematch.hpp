// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// The TREEMATCH policy [TM §4-§6]: nodes and cores chosen together with the place of each rank, so
// that ranks with heavy traffic are few hops apart. Parameters:
//   scope      allocation (TM-A: only ranks are placed; choosing nodes is refused with an Error),
//              whole (TM-I), subtree (TM-Isub, the default)
//   levels-up  k of TM-Isub+k, 0 by default
//   seed       of the mapper
//   objective  hop-bytes (the default), balanced or worst-group: see Objective
//   effort     how much is searched, 1 to 1000, 10 by default; jobs of some hundred tasks and more take less
//              time with less, and find a little less
// Without a matrix the nodes of the smallest subtree are taken, ranks in natural order. Where
// request.node_tasks is given, nodes and counts stay and only the ranks move.
Placement place_treematch(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error where it is no number from 1 to 1000.
std::int32_t effort_parameter(const Request& request);

// Throws Error when the value of one of these parameters is none that place_treematch() takes.
void check_treematch(const Parameters& parameters);

}  // namespace placement

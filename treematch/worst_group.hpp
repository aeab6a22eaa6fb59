// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

// Places a request with objective=worst-group; see place_by_objective(). First the groups are distributed over leaf
// switches. Then the request is placed several times. After each round, the traffic inside the groups that span the
// most leaf switches is raised.
Placement place_by_worst_group(const ClusterView& view, const Request& request, const Deadline& deadline,
                               const PlaceByHopBytes& place);

}  // namespace placement::treematch

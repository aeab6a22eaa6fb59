// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

// Places a request with objective=worst-group; see place_by_objective(). First distributes the groups over leaf
// switches. Then places the request several times. After each round, raises the traffic inside the groups that span the
// most leaf switches.
Placement place_by_worst_group(const ClusterView& view, const Request& request, const Deadline& deadline,
                               const PlaceByHopBytes& place);

}  // namespace placement::treematch

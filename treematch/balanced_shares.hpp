// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

// Places a request with objective=balanced; see place_by_objective(). Starts from the placement with the least
// hop-bytes and the number of leaf switches that it uses. For this number, one fewer and one more, places the request
// again with at most an even share of the tasks on each leaf switch.
Placement place_balanced(const ClusterView& view, const Request& request, const Deadline& deadline,
                         const PlaceByHopBytes& place);

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

// Places a request with objective=balanced; see place_by_objective(). It starts from the number of leaf switches of the
// placement with the least hop-bytes. For each number near it, the request is placed with room only for even shares on
// the leaf switches.
Placement place_balanced(const ClusterView& view, const Request& request, const Deadline& deadline,
                         const PlaceByHopBytes& place);

}  // namespace placement::treematch

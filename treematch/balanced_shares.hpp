// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

// Places a request with objective=balanced; see place_by_objective(). Each number of leaf switches near that of the
// placement with the least hop-bytes is tried, with room for even shares only.
Placement place_balanced(const ClusterView& view, const Request& request, const Deadline& deadline,
                         const PlaceByHopBytes& place);

}  // namespace placement::treematch

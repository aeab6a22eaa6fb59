// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>

#include "common/policy/policy.hpp"

namespace placement {

// What a placement is to make least.
enum class Objective {
  hop_bytes,
  balanced,     // the difference between the most and the fewest tasks on a leaf switch that is used, as
                // far as that costs at most 2 % more hop-bytes
  worst_group,  // the largest number of leaf switches that one group of ranks spans, then hop-bytes; ranks
                // are of one group where a path of heavy pairs joins them: pairs with at least three quarters of the
                // traffic of the heaviest pair
};

// The parameter `objective` of a request. Throws Error where it is none of hop-bytes, balanced and worst-group.
Objective objective_parameter(const Parameters& parameters);

// Places a request with few hop-bytes. Throws Error where it cannot be placed.
using PlaceByHopBytes = std::function<Placement(const ClusterView&, const Request&)>;

// The placement that suits the objective best of some that `place` finds: for the request as it is, with fewer
// nodes offered, and with other weights in the matrix. The request has a matrix. The last of the placement's
// reasons says what was reached.
Placement place_by_objective(Objective objective, const ClusterView& view, const Request& request,
                             const Deadline& deadline, const PlaceByHopBytes& place);

}  // namespace placement

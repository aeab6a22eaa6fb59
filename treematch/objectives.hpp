// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <string>

#include "common/policy/policy.hpp"

namespace placement::treematch {

// The quantity that a placement minimises.
//   hop_bytes    the hop-bytes [TM §1]
//   balanced     the largest minus the smallest number of tasks on a used leaf switch, for at most 2 % more hop-bytes
//   worst_group  the most leaf switches that one of the heavy_groups() spans; ties go to the least hop-bytes
enum class Objective {
  hop_bytes,
  balanced,
  worst_group,
};

// Returns the parameter `objective` of a request, hop_bytes when it is not given. Throws Error when its value is none
// of hop-bytes, balanced and worst-group.
Objective objective_parameter(const Parameters& parameters);

// For a job without a matrix or pattern: returns a notice to the user if the parameters name an objective that needs
// traffic. Otherwise returns an empty text. Throws Error as objective_parameter() does.
std::string idle_objective_note(const Parameters& parameters);

// A function that places a request with few hop-bytes. It throws Error when the request cannot be placed.
using PlaceByHopBytes = std::function<Placement(const ClusterView&, const Request&)>;

// Places a request by the given objective. It calls `place` for the request as it is, for views with fewer free cores,
// and for matrices with other weights. Returns the placement that is best by the objective.
//   request   has a matrix
//   deadline  once it has passed, no further placement is tried
// The costs in the result are those of the request's own matrix. With `balanced` and `worst_group`, the last reason of
// the placement has the result. Throws Error when `place` throws it for the request as it is.
Placement place_by_objective(Objective objective, const ClusterView& view, const Request& request,
                             const Deadline& deadline, const PlaceByHopBytes& place);

// Clears Placement::optimal and makes the reason claim "optimal in hop-bytes" only, because another placement may be
// better by the objective.
void drop_claim(Placement& placement);

}  // namespace placement::treematch

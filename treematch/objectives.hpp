// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <string>

#include "common/policy/policy.hpp"

namespace placement::treematch {

// The quantity that a placement minimises.
//   hop_bytes    the hop-bytes [TM §1]
//   balanced     the largest minus the smallest number of tasks on a used leaf switch, for at most 2 % more hop-bytes
//   worst_group  the largest number of leaf switches that a group of heavy_groups() spans; ties: least hop-bytes
enum class Objective {
  hop_bytes,
  balanced,
  worst_group,
};

// Returns the parameter `objective` of a request, hop_bytes by default. Throws Error unless the value is hop-bytes,
// balanced or worst-group.
Objective objective_parameter(const Parameters& parameters);

// For a job without a matrix or pattern: returns a notice to the user if the parameters name an objective that needs
// traffic. Otherwise returns an empty text. Throws Error as objective_parameter() does.
std::string idle_objective_note(const Parameters& parameters);

// A function that places a request on a view with few hop-bytes. It throws Error when the request cannot be placed.
using PlaceByHopBytes = std::function<Placement(const ClusterView&, const Request&)>;

// Places a request by the given objective. Calls `place` for the view, and for views with fewer free cores. Returns the
// placement that is best by the objective.
//   request   has a matrix
//   deadline  once it has passed, no further placement is tried
// With `balanced` and `worst_group`, the last reason of the placement states the reached value of the objective. Throws
// Error when `place` throws it for the view itself.
Placement place_by_objective(Objective objective, const ClusterView& view, const Request& request,
                             const Deadline& deadline, const PlaceByHopBytes& place);

// As place_by_objective(), with `balanced`. Starts from the placement with the least hop-bytes and the number of leaf
// switches that it uses. For this number, one fewer and one more, places the request again with at most an even share
// of the tasks on each leaf switch.
Placement place_balanced(const ClusterView& view, const Request& request, const Deadline& deadline,
                         const PlaceByHopBytes& place);

// As place_by_objective(), with `worst_group`. Starts from the placement with the least hop-bytes. Then puts each
// group on as few leaf switches as possible, and also maps by matrices in which the traffic inside groups is increased.
Placement place_by_worst_group(const ClusterView& view, const Request& request, const Deadline& deadline,
                               const PlaceByHopBytes& place);

// Clears Placement::optimal, and limits the claim ", optimal" in the first reason to ", optimal in hop-bytes": another
// placement may be better by the objective.
void drop_claim(Placement& placement);

}  // namespace placement::treematch

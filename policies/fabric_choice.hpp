// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/policy/policy.hpp"
#include "policies/table.hpp"

namespace placement::policies {

// Returns whether one job can use all nodes of the view together, because all are on one fabric. True for a view
// without nodes.
bool is_one_fabric(const ClusterView& view);

// Returns the usable leaves on the first fabric that has at least `ranks` of them. Returns all usable leaves if the
// view has no nodes or only one fabric. `usable` and the result are ascending. Throws Error when no fabric has enough
// usable leaves; the message has the largest number on one fabric.
std::vector<std::int32_t> leaves_on_one_fabric(const ClusterView& view, std::span<const std::int32_t> usable,
                                               std::int32_t ranks);

// Throws Error when two of the leaves are on nodes of different fabrics, because Slurm never allocates both to one job.
// The message names two nodes. A view without nodes is one fabric.
void require_one_fabric(const ClusterView& view, std::span<const std::int32_t> leaves);

// Places the request by policy.place() on the nodes of one fabric. If the view has several fabrics, each is offered
// alone. With a matrix, the cheapest placement wins; without one, the fabric with the most free cores; ties go to the
// lower fabric number. After the deadline, no further fabric is tried once there is a placement. A step
// (request.node_tasks is given) keeps its nodes. If no fabric can serve the request, throws the policy's error on the
// first fabric, which may be MustWait. If no fabric has enough free cores, throws PlacementError with their number.
Placement place_on_one_fabric(const Policy& policy, const ClusterView& view, const Request& request,
                              const Deadline& deadline);

}  // namespace placement::policies

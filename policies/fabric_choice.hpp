// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/policy/policy.hpp"
#include "policies/table.hpp"

namespace placement::policies {

// Returns whether one job can use all nodes of the view together, because all are on one fabric. Returns true for a
// view without nodes.
bool is_one_fabric(const ClusterView& view);

// Returns the usable leaves on the first fabric that has at least `ranks` of them. Returns all usable leaves when the
// view has no nodes or one fabric only. `usable` and the result are ascending. Throws Error when no fabric has enough
// usable leaves; the message names the largest number on one fabric.
std::vector<std::int32_t> leaves_on_one_fabric(const ClusterView& view, std::span<const std::int32_t> usable,
                                               std::int32_t ranks);

// Throws Error when two of the leaves are on nodes that no switch joins, because Slurm never allocates these to one
// job. The message names two of them. A view without nodes is one fabric.
void require_one_fabric(const ClusterView& view, std::span<const std::int32_t> leaves);

// Places the request by policy.place() on the nodes of one fabric. If the view has several fabrics, each is offered
// alone. With a matrix, the placement with the least cost is returned. Without a matrix, the placement on the fabric
// with the most free cores is returned. Ties go to the lower fabric number. After the deadline no further fabric is
// tried once there is a placement. A step (request.node_tasks is given) is placed on its own nodes. If no fabric can
// serve the request, throws the policy's error on the first fabric that was tried, which may be MustWait. If no fabric
// has enough free cores, the message has the number of free cores.
Placement place_on_one_fabric(const Policy& policy, const ClusterView& view, const Request& request,
                              const Deadline& deadline);

}  // namespace placement::policies

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/policy/policy.hpp"
#include "policies/table.hpp"

namespace placement {

// Whether one job can use all nodes of the view together (NodeView::fabric). True for a view without nodes.
bool is_one_fabric(const ClusterView& view);

// Those of the usable leaves that are on the first fabric with at least `ranks` of them; all of them where the view
// names no nodes or has one fabric only. `usable` is ascending. Throws Error that names the largest number of usable
// leaves on one fabric when none has enough.
std::vector<std::int32_t> leaves_on_one_fabric(const ClusterView& view, std::span<const std::int32_t> usable,
                                               std::int32_t ranks);

// What policy.place() answers, on the nodes of one fabric. Where the view has several, each is offered alone: with a
// matrix the answer with the least cost is taken, without one the answer on the fabric with the most free cores; ties go to
// the lower number. After the deadline the best answer so far is returned. A step, whose nodes are given (request.node_tasks), is placed as it stands.
// Throws Error when no fabric can serve the request: the policy's own (MustWait included), or one that names the cores.
Placement place_on_one_fabric(const Policy& policy, const ClusterView& view, const Request& request,
                              const Deadline& deadline);

}  // namespace placement

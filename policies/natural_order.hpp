// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::policies {

// Returns the hop-bytes of the ranks in natural order, 0 without a matrix. The nodes are those of request.node_tasks if
// it is given, otherwise the first nodes that can serve the request. Distances are those of the view's tree. In a step
// (node_tasks is given) with `on_torus` they are those of the torus, if all nodes that must be used have coordinates.
// Throws Error when the tasks do not fit.
Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus);

// Returns the hop-bytes of `placement`, a placement of the request. The parameters are those of natural_order_cost().
Cost step_cost(const ClusterView& view, const Request& request, const Placement& placement, bool on_torus);

}  // namespace placement::policies

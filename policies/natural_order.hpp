// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::policies {

// Returns the hop-bytes of the ranks in natural order, node by node. The nodes are those of request.node_tasks if it is
// given, otherwise the first nodes that can serve the request. The result is 0 without a matrix.
// Distances are those of the view's torus if `on_torus` is true, request.node_tasks is given, and all nodes that must
// be used have coordinates. Otherwise distances are those of its tree. Throws Error when the tasks do not fit.
Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus);

// Returns the hop-bytes of `placement`, a placement of the request. The parameters are those of natural_order_cost().
Cost step_cost(const ClusterView& view, const Request& request, const Placement& placement, bool on_torus);

}  // namespace placement::policies

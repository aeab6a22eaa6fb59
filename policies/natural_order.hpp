// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// Hop-bytes of ranks in natural order, node by node: on the first nodes that can serve the request, or where
// request.node_tasks is given on those. `on_torus`: distances are those of the view's torus, if all of these nodes have
// coordinates; else those of its tree. request.matrix must be given. Throws Error when the tasks do not fit.
Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus);

}  // namespace placement

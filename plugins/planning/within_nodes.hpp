// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/matrix/comm_matrix.hpp"
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement::planning {

// The part of a placement's traffic that does not leave nodes.
struct WithinNodes {
  Cost bytes = 0;      // of all pairs of ranks that are on one node; each pair counts once
  Cost hop_bytes = 0;  // each of these bytes times the distance between its two ranks
};

// The hop-bytes of the ranks in natural order on the first nodes of an offer, and the part of these within nodes.
struct StockWithin {
  Cost cost;
  WithinNodes within;
};

// Returns the part of the traffic of `matrix` that does not leave nodes when its ranks are at `placement` in the view's
// tree.
WithinNodes within_nodes(const ClusterView& view, const CommMatrix& matrix, const Placement& placement);

// Returns the hop-bytes of a placement on nodes of which nobody knows the cores that Slurm would choose there. `cost`
// and `within` are those on some of their cores. Within nodes each byte is taken to go as far as in `known`, which is
// on cores that Slurm chose.
Cost as_far_within_nodes(Cost cost, const WithinNodes& within, const WithinNodes& known);

}  // namespace placement::planning

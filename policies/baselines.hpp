// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// What placements are held against. The first two do not look at the matrix, except to tell the cost.

// The first nodes offered that can serve the request, ranks in natural order.
Placement place_sequential(const ClusterView& view, const Request& request, const Deadline& deadline);

// Nodes in a random order, ranks at random on their slots; parameter seed.
Placement place_random(const ClusterView& view, const Request& request, const Deadline& deadline);

// MATCHING: the nodes of the smallest subtree that serve the request, and on their slots the published hierarchical
// job assignment [JA §2], which groups ranks by matchings of maximum weight from the cores up. Needs a matrix.
Placement place_matching(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement

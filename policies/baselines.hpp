// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::policies {

// Baselines: policies for comparison only. All have the form of PlaceFunction. In a step (request.node_tasks is given)
// they keep the given nodes and numbers of tasks, and place only the ranks. All ignore the deadline.

// The policy SEQUENTIAL: takes the first nodes of the view that can serve the request, with the ranks in natural order.
// The matrix serves only to compute the costs. Throws Error when no choice of nodes keeps the limits of the request.
Placement place_sequential(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy RANDOM: takes nodes in a random order and puts the ranks on their slots at random. The parameter `seed` is
// at least 0, by default the seed of the request. The matrix serves only to compute the costs. Throws Error when no
// choice of nodes keeps the limits of the request.
Placement place_random(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy MATCHING: takes nodes of the smallest subtree that can serve the request. The published hierarchical job
// assignment [JA §2] maps the ranks to their slots. It groups ranks by matchings of maximum weight from the cores up.
// Throws Error when the request has no matrix, the view has a torus, or no choice of nodes keeps the limits.
Placement place_matching(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy MATCHING-PAPER: MATCHING, but ranks and groups are paired by the paper's Hungarian method. For comparison
// only, because 1,000 ranks take seconds. Throws also when there are more than 2,048 ranks.
Placement place_matching_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::policies

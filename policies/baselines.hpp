// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::policies {

// Baselines: policies for comparison only, of the type PlaceFunction. In a step (request.node_tasks is given) they keep
// the given nodes and numbers of tasks, and place only the ranks. All ignore the deadline.

// The policy SEQUENTIAL: the first nodes of the view that can serve the request, with the ranks in natural order. The
// matrix is used only for the costs. Throws Error when no set of nodes meets the limits of the request.
Placement place_sequential(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy RANDOM: nodes in a random order, and ranks on their slots at random. The parameter `seed` is at least 0,
// by default the seed of the request. The matrix is used only for the costs. Throws Error when no set of nodes meets
// the limits of the request.
Placement place_random(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy MATCHING: nodes of the smallest subtree that can serve the request. The published hierarchical job
// assignment [JA §2] maps the ranks to their slots: it groups ranks by matchings of maximum weight from the cores up.
// Throws Error when the request has no matrix, the view has a torus, or no set of nodes meets the limits.
Placement place_matching(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy MATCHING-PAPER: MATCHING with the paper's Hungarian method for the pairs of ranks and groups. It takes
// seconds for 1,000 ranks. Throws Error also for more than 2,048 ranks.
Placement place_matching_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::policies

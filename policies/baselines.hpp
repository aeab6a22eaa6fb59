// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::policies {

// Baselines: policies for comparison only. The functions place_*() are of the type PlaceFunction. In a step
// (request.node_tasks is given) they keep the given nodes and numbers of tasks, and place only the ranks. Only
// TOFA-PAPER and GREEDY heed the deadline.

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

// The policy TOFA-PAPER [TOFA §4]. SCOTCH maps the ranks to the first window of consecutive nodes that cannot fail. If
// most nodes have failed once, the window has no suspect nodes (doc/tofa.md). Without a window, SCOTCH maps to the
// whole machine with raised weights of links at suspect nodes. SCOTCH cannot be interrupted: if the deadline has passed
// before it starts, the ranks keep their order. Throws Error without SCOTCH or a torus, or if the request contradicts
// itself.
Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error when SCOTCH is not available, because natural order would not be the paper's mapping.
void check_tofa_paper(const Parameters& parameters);

// The baseline policy GREEDY, on a torus or a tree. Takes pairs of ranks by falling traffic and places each rank as
// near as possible to its partner. When the deadline passes, the ranks keep their order. Throws Error when the request
// has no matrix or contradicts itself, or when no set of nodes meets the limits.
Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline);

// Returns the hop-bytes of the ranks in natural order, 0 without a matrix. The nodes are those of request.node_tasks if
// it is given, otherwise the first nodes that can serve the request. Distances are counted on the view's tree. In a
// step (node_tasks is given) with `on_torus` they are counted on the torus, if all nodes that must be used have
// coordinates. Throws Error when the tasks do not fit.
Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus);

// Returns the hop-bytes of `placement`, a placement of the request. The parameters are those of natural_order_cost().
Cost step_cost(const ClusterView& view, const Request& request, const Placement& placement, bool on_torus);

}  // namespace placement::policies

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

// The policy TOFA-PAPER [TOFA §4]. SCOTCH maps the ranks onto the first window of consecutive nodes that cannot fail.
// If most nodes have failed once, it maps onto a window of nodes that are not suspect (doc/tofa.md). Without a window,
// it maps onto the whole machine with raised weights of links at suspect nodes. SCOTCH cannot be interrupted: the ranks
// keep their order if the deadline has passed before it starts. Throws Error when SCOTCH is not available, the view has
// no torus, or the request contradicts itself.
Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error when SCOTCH is not available, because natural order is not the paper's mapping.
void check_tofa_paper(const Parameters& parameters);

// The baseline policy GREEDY. It takes pairs of ranks by falling traffic and places each rank as near as possible to
// its partner. It works on a torus and on a tree. When the deadline passes, the ranks keep their order. Throws Error
// when the request has no matrix or contradicts itself, or when no choice of nodes keeps to the limits.
Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::tofa

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

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

}  // namespace placement::tofa

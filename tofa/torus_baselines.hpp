// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

// The policy TOFA-PAPER, as published [TOFA §4]. It takes the first window of consecutive nodes that do not fail, and
// SCOTCH maps the ranks onto this part of the torus. Without a window, SCOTCH maps onto the whole machine with raised
// weights of the links of suspect nodes.
//
// In the paper a node does not fail when its outage probability is 0. When most nodes have failed once, there may be
// no window of nodes that do not fail. A window of nodes that are not suspect is then taken; place_tofa() defines
// suspect.
//
// The ranks keep their order when the deadline has passed before SCOTCH starts; SCOTCH itself cannot be interrupted.
// Throws Error when SCOTCH is not available, the view has no torus, or the request contradicts itself.
Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error when SCOTCH is not available, because natural order is not the paper's mapping.
void check_tofa_paper(const Parameters& parameters);

// The baseline policy GREEDY. It takes pairs of ranks by falling traffic and places each rank as near as possible to
// its partner. It works on a torus and on a tree. When the deadline passes, the ranks keep their order. Throws Error
// when the request has no matrix or contradicts itself, or when no choice of nodes keeps to the limits.
Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::tofa

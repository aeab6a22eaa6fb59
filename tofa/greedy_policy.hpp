// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

// The baseline policy GREEDY. It takes pairs of ranks by falling traffic and places each rank as near as possible to
// its partner. It works on a torus and on a tree. When the deadline passes, the ranks keep their order. Throws Error when
// the request has no matrix or contradicts itself, or when no choice of nodes keeps to the limits.
Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::tofa

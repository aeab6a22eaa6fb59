// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// The heaviest pairs first, each rank as near as possible to its partner: a baseline, on trees too.
Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement

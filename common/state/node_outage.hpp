// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/state/live_state.hpp"

namespace placement {

// The probability for a job of another length than the one given holds for: 1 - (1 - p)^(seconds / horizon). As
// it is when either length is not known.
double outage_for(double probability, double horizon_s, double job_seconds);

// What a job of so many seconds has to fear from a node in a live state: the published estimate for that length, and
// outage_of_silent_node at least from one that does not answer. 0 .. 1.
double outage_of(const NodeState& state, double horizon_s, double job_seconds);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/state/live_state.hpp"

namespace placement {

// Converts an outage probability for the next `horizon_s` seconds into the one for a job of `job_seconds` seconds:
// 1 - (1 - p)^(job_seconds / horizon_s). When one of the times is not known (NaN, 0 or less), it returns `probability`.
// Returns a number from 0 to 1; a probability that is not known counts as 0.
double outage_for(double probability, double horizon_s, double job_seconds);

// Returns the probability, 0 to 1, that the node fails while a job of `job_seconds` seconds runs. It is the published
// estimate for the next `horizon_s` seconds, converted by outage_for(). A node that does not answer has at least
// outage_of_silent_node.
double outage_of(const NodeState& state, double horizon_s, double job_seconds);

// Returns whether the state has data on outages: an estimate for some node, or a node that does not answer. A
// state that was imported, or whose monitor cannot estimate, has none.
bool outages_known(const LiveState& live);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/state/live_state.hpp"

namespace placement {

// Returns the live part of a job's state as text, which parse_snapshot() reads: when it was published; the name, the
// liveness and the age of each node; the groups, the pairs and what single nodes add to these. Nothing else of the
// state is written. Throws Error on a state that check_live_state() refuses.
std::string job_live_text(const LiveState& state);

}  // namespace placement

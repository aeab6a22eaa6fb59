// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"

namespace placement::protocol {

// Limits on probes that an agent enforces itself. A monitor applies them too, so that it requests no probe in vain. A
// link rate that is not known (NaN) counts as 1 Gbit/s.

// Returns the number of bytes that probes may send per minute. `link_Bps` is the rate of the link in bytes per second.
double probe_budget_Bpm(const Config& config, double link_Bps);

// Returns whether a node is idle enough for a bulk stream: `utilisation` of its processors (0 to 1) is below a quarter
// and its traffic `flow_Bps` is below 5 % of the link's rate. A value that is not known (NaN) counts as loaded.
bool little_loaded(double utilisation, double flow_Bps, double link_Bps);

}  // namespace placement::protocol

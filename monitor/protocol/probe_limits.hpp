// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"

namespace placement {

// What an agent allows of itself, and a monitor need not ask for. A link's rate that is not known, NaN, counts
// as 1 Gbit/s.

// Bytes that may be sent for probes in a minute.
double probe_budget_Bpm(const Config& config, double link_Bps);

// Neither the processors (0 .. 1) nor the link have much to do, so that a bulk stream harms nobody. A load that
// is not known, NaN, is taken for much.
bool little_loaded(double utilisation, double flow_Bps, double link_Bps);

}  // namespace placement

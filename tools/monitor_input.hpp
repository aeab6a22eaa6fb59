// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "monitor/protocol/query_client.hpp"

namespace placement {

// Asks placement-monitor on the controllers of slurm.conf, as the calling user. User and port of the monitor are those
// that slurmctld reports, or else those in `config`. Throws Error.
MonitorAnswer ask_monitors(const Query& query, const Config& config);

// Returns the source of an answer for messages, such as "placement-monitor on head".
std::string described(const MonitorAnswer& answer);

}  // namespace placement

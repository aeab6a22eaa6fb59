// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "monitor/protocol/query_client.hpp"

namespace placement {

// What placement-monitor on one of the controllers of slurm.conf answers to the calling user; where it is to be asked,
// slurmctld says, else `config`. Throws Error.
MonitorAnswer ask_monitors(const Query& query, const Config& config);

// "placement-monitor on head", for messages.
std::string described(const MonitorAnswer& answer);

}  // namespace placement

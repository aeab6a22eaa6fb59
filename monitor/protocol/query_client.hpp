// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/query_wire.hpp"

namespace placement::protocol {

// The monitors that a client can ask.
struct MonitorAddress {
  std::vector<SlurmHost> controllers;
  std::string munge_socket;  // empty: munge's own default
  std::string user;          // MonitorUser
  std::uint16_t port = 0;
};

// Returns the controllers named in `slurm_conf`, with the user and port of the monitors. User and port are those in
// force in `controller`, else those of this host's `config`. Throws Error without a slurm.conf.
MonitorAddress monitor_address(const std::string& slurm_conf, const ControllerState& controller, const Config& config);

struct MonitorAnswer {
  std::string from;  // name of the controller that answered
  std::string text;
};

// Sends `query` as the calling user to the monitors on the controllers, one after another, until one answers. Each has
// `seconds` to answer. Sets the query's channel and key. Throws Error if none answers, with the name and error of each.
MonitorAnswer ask_monitors(const MonitorAddress& address, const Query& query, double seconds = 30);

// Sends one query to the address `to` and returns the answer, which has to be complete in `seconds`. `credentials` must
// be readable by the monitor there. While the monitor has no room for the query, makes up to `tries` connections, with
// pauses of 0.1 s and longer. Throws Error.
std::string ask_monitor(const NetAddress& to, Credentials& credentials, Query query, double seconds = 30,
                        int tries = 20);

}  // namespace placement::protocol

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

namespace placement {

// Whom to ask.
struct MonitorAddress {
  std::vector<SlurmHost> controllers;
  std::string munge_socket;   // empty: munge's own default
  std::string user;           // MonitorUser
  std::uint16_t port = 0;
};

// The controllers of a slurm.conf, and what slurmctld says is in force; where it says nothing, what this host's
// configuration says. Throws Error without a slurm.conf.
MonitorAddress monitor_address(const std::string& slurm_conf, const ControllerState& controller, const Config& config);

struct MonitorAnswer {
  std::string from;  // the controller's name
  std::string text;
};

// Asks the monitors on the controllers in their order until one answers, as the calling user. Throws Error, naming
// each and what it says. The channel and the key of the query are made here.
MonitorAnswer ask_monitors(const MonitorAddress& address, const Query& query);

// One question to one address, by credentials that its reader decodes. Throws Error.
std::string ask_monitor(const NetAddress& to, Credentials& credentials, Query query);

}  // namespace placement

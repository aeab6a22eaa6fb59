// SPDX-License-Identifier: GPL-2.0-or-later
// Messages with a value in each field, for tests.
#pragma once
#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

inline Heartbeat full_heartbeat() {
  Heartbeat heartbeat;
  heartbeat.boot_id = 0x1716151413121110;
  heartbeat.agent_start_id = 0x0123456789abcdef;
  heartbeat.number = 7;
  heartbeat.uptime_s = 86400;
  heartbeat.flags = slurmd_running | leaving;
  heartbeat.probe_address.ip[3] = 9;
  heartbeat.probe_address.port = 6829;
  NodeState& state = heartbeat.state;
  state.cores = 128;
  state.sockets = 2;
  state.frequency_MHz = 2250;
  state.memory_MiB = 257000;
  double value = 0.25;
  for (RunningMeans* means :
       {&state.cpu_load, &state.slurm_load, &state.memory_available_MiB, &state.flow_rate_Bps, &state.users}) {
    *means = {value, value + 1, value + 2};
    value += 8;
  }
  state.cpu_utilisation = {0.5, 0.25, 1};
  state.cpu_pressure = {0, 0.125, 0.5};
  state.memory_pressure = {0.75, unknown_value, 0};
  heartbeat.follows = std::string(max_wire_name, 'h');
  return heartbeat;
}

inline ProbeLease full_lease() {
  ProbeLease lease;
  lease.id = 99;
  lease.kind = ProbeKind::train;
  lease.role = ProbeRole::responder;
  lease.peer = "n2";
  lease.peer_address.ip[15] = 1;
  lease.peer_address.port = 6821;
  lease.key[31] = 5;
  lease.start_in_ms = 100;
  lease.expires_in_ms = 4000;
  lease.packets = 200;
  lease.packet_bytes = 1400;
  return lease;
}

}  // namespace placement::protocol

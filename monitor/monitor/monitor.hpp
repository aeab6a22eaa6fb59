// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/monitor/running_configuration.hpp"
#include "monitor/monitor/snapshot_publisher.hpp"
#include "monitor/monitor/trouble_log.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/daemon.hpp"

namespace placement::monitor {

// When the tasks of the monitor's loop are due. placement-monitor(8) states the intervals.
struct MonitorSchedule {
  static constexpr std::int32_t large_nodes = 1000;  // with more nodes, slurmctld's answer is long
  static constexpr double slurm_again_s = 5;

  explicit MonitorSchedule(std::int32_t nodes) : slurm(nodes > large_nodes ? 30 : 10) {}

  protocol::Periodic leases{0.1};  // giving leases for probes
  protocol::Periodic tick{1};      // judging the nodes and writing the history
  protocol::Periodic slurm;        // asking slurmctld about the nodes
  protocol::Periodic snapshot{publish_every_s};

  // Returns the time until which the loop may wait.
  double next_s() const { return std::min(leases.next_s(), tick.next_s()); }
};

// The settings with which placement-monitor starts.
struct MonitorSettings {
  std::string slurm_conf;
  SlurmHosts hosts;
  std::int32_t order = 0;  // index of this monitor in hosts.controllers
  Config config;
  bool ask_slurm = true;
  std::vector<uid_t> decision_owners;  // users whose ring of decisions is read; empty: any user's
};

// Runs the loop of the monitor [NLA §8] until `stop_descriptor` becomes readable, or until slurmctld has nodes that are
// not in MonitorSettings::hosts. Returns these nodes, or nothing. Calls `tend` every second. Throws Error when the
// socket or the history cannot be opened, or poll() fails.
std::vector<SlurmHost> run_monitor(const MonitorSettings& settings, RunningConfiguration configuration,
                                   protocol::Credentials& credentials, const Log& log, int stop_descriptor,
                                   const std::function<void()>& tend);

}  // namespace placement::monitor

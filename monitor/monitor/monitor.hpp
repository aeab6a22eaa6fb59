// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/monitor/history_keeper.hpp"
#include "monitor/monitor/node_switches.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/probing.hpp"
#include "monitor/monitor/running_configuration.hpp"
#include "monitor/monitor/slurm_nodes.hpp"
#include "monitor/monitor/snapshot_publisher.hpp"
#include "monitor/monitor/trouble_log.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/periodic.hpp"

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

// The loop of the monitor [NLA §8]. It passes the messages of agents and the answers of slurmctld to NodeWatch (which
// nodes are up, and their outages), Probing, HistoryKeeper and SnapshotPublisher.
class Monitor {
 public:
  // The credentials must outlive the monitor. Throws Error when the socket or the history cannot be opened.
  Monitor(MonitorSettings settings, RunningConfiguration configuration, protocol::Credentials& credentials, Log log);

  // Runs until `stop_descriptor` becomes readable, or until slurmctld has nodes that are not in MonitorSettings::hosts.
  // Returns these nodes, or nothing. Calls `tend` every second with the steady time. Throws Error when poll() fails.
  std::vector<SlurmHost> run(int stop_descriptor, const std::function<void(double now_s)>& tend);

 private:
  std::optional<std::int32_t> admit(const std::string& name, const protocol::NetAddress& from);
  void receive(double now_s);
  void take_message(std::int32_t node, protocol::ByteView message, double now_s);
  void take_heartbeat(std::int32_t node, const protocol::Heartbeat& beat);
  void hear_slurm(double now_s);
  void count_followers(double now_s);
  const std::string& own_name() const {
    return settings_.hosts.controllers[static_cast<std::size_t>(settings_.order)].name;
  }
  void tick();
  void read_mpi_pairs();
  void publish();
  std::string metrics(double wall_s) const;

  MonitorSettings settings_;
  RunningConfiguration configuration_;  // knows what has changed since the start
  Log log_;
  std::string agent_settings_;  // the settings that are sent to agents
  AddressCache addresses_;
  HistoryKeeper keeper_;
  NodeWatch watch_;
  MonitorPort port_;
  bool leads_ = false;  // most agents follow this monitor, which grants leases for probes then
  Probing probing_;
  FileIdentity mpi_pairs_;  // of the file of pairs by MPI that was read last
  SnapshotPublisher publisher_;
  SlurmNodes slurm_;
  std::optional<ControllerState> controller_;  // the settings in force in slurmctld, by its last answer
  MonitorSchedule schedule_;
  std::vector<SlurmHost> joined_;                     // nodes of slurmctld that this monitor does not know
  std::int64_t heartbeats_ = 0;                       // taken since the start
  protocol::TokenBucket refused_lines_{1.0 / 60, 1};  // lines of the log about datagrams that were refused
  TroubleLog metrics_trouble_, pairs_trouble_, slurm_trouble_, controller_trouble_;
};

}  // namespace placement::monitor

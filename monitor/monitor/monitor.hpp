// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/decision/decision_ring.hpp"
#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/monitor/bulk.hpp"
#include "monitor/monitor/decision_counts.hpp"
#include "monitor/monitor/history.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/pair_model.hpp"
#include "monitor/monitor/peer_messages.hpp"
#include "monitor/monitor/node_switches.hpp"
#include "monitor/monitor/leader_election.hpp"
#include "monitor/monitor/running_configuration.hpp"
#include "monitor/monitor/schedule.hpp"
#include "monitor/monitor/slurm_nodes.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/udp.hpp"

namespace placement::monitor {

// The settings with which placement-monitor starts.
struct MonitorSettings {
  std::string slurm_conf;
  SlurmHosts hosts;
  std::int32_t order = 0;     // index of this monitor in hosts.controllers
  Config config;
  bool ask_slurm = true;
  std::vector<uid_t> decision_owners;  // users whose ring of decisions is read; empty: any user's
};

// The monitor with its one loop, in monitor.cpp; its parts are in the files monitor_*.cpp [NLA §8]. It hears all agents
// and the other monitors, keeps the history and writes the snapshot. While it is the leader it gives leases for probes.
class Monitor {
 public:
  using Log = std::function<void(const std::string&)>;
  // The credentials must outlive the monitor. Throws Error when the socket or the history cannot be opened.
  Monitor(MonitorSettings settings, RunningConfiguration configuration, protocol::Credentials& credentials, Log log);

  // Runs until `stop_descriptor` becomes readable. Calls `tend` every second with the time by a steady clock. Throws
  // Error when poll() fails.
  void run(int stop_descriptor, const std::function<void(double now_s)>& tend);

 private:
  struct Peer {  // another monitor
    std::int32_t order = 0;
    std::optional<protocol::ClientSession> session;  // set for monitors with a lower number: this one is their client
    std::optional<protocol::NetAddress> address;
    double next_resolve_s = 0;
    std::optional<PeerState> state;
    double heard_s = -1e9;
    double asked_s = -1e9;
    std::array<std::uint8_t, 16> asked_history{};  // the instance that was asked, to which the answer's cursor belongs
    std::string last_note;
  };
  struct Lease {
    std::int32_t a = 0, b = 0;  // a is the initiator
    Measurement measurement = Measurement::latency;
    bool bulk = false;
    double until_s = 0;
  };

  Moment now() const;
  std::optional<std::int32_t> admit(const std::string& name, const protocol::NetAddress& from);
  void receive(double now_s);
  void receive_as_client(double now_s);
  void take_message(std::int32_t peer, protocol::ByteView message, double now_s);
  void take_heartbeat(std::int32_t node, const protocol::Heartbeat& beat, double now_s);
  void take_settings_taken(std::int32_t node, const protocol::SettingsTaken& taken);
  void take_result(std::int32_t node, const protocol::ProbeResult& result, double now_s);
  void take_peer_message(Peer& peer, protocol::ByteView message, double now_s);
  void take_changes(Peer& peer, const History::Changes& changes, double now_s);
  void send(Peer& peer, const protocol::Bytes& message);
  void ask(Peer& peer, std::uint64_t after, double now_s);
  void keep_peers(double now_s);
  void hear_agents(double now_s);

  void tick();
  void probe(double now_s);
  bool idle(std::int32_t node) const;
  BulkStream bulk_stream(const ProbePair& pair, double now_s);
  void lease(const ProbeSchedule::Round& round, std::size_t which, double now_s);
  static std::string history_path(const Config& config);
  void keep_history();
  void history_trouble(const Error& error);
  bool recover_history();
  void tell_moved_history();
  void save_history();
  void drain_decisions();
  void save_pairs();
  void publish();
  bool may_write_snapshot() const;
  void write_metrics(double wall_s);
  std::string metrics(double wall_s);
  void say_once(std::string& kept, const std::string& text);

  MonitorSettings settings_;
  RunningConfiguration configuration_;  // tells what has changed since the start
  Log log_;
  std::vector<std::string> names_;
  std::string agent_settings_;                 // the settings that are sent to agents
  std::vector<std::uint64_t> settings_taken_;  // per node, the start id of the agent that has confirmed them; 0: none
  protocol::UdpSocket socket_;
  protocol::UdpSocket peer_socket_;
  History history_;
  AddressCache addresses_;
  NodeWatch watch_;
  protocol::ServerSessions sessions_;
  std::vector<Peer> peers_;  // by number; the entry of this monitor itself is not used
  LeaderElection publisher_;
  PairModel pairs_;
  ProbeSchedule schedule_;
  BulkTurns bulk_;
  SlurmNodes slurm_;
  DecisionReader decisions_;

  std::unordered_map<std::uint64_t, Lease> leases_;
  std::vector<PeerMeasurement> measured_;  // to be sent to the other monitors
  PairTable table_;
  double table_s_ = -1e9, table_cost_s_ = 0;
  struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
  } written_;
  double next_tick_s_ = 0, next_slurm_s_ = 0, next_peers_s_ = 0, next_publish_s_ = 0, next_decisions_s_ = 0,
         next_pairs_s_, next_prune_s_;
  static constexpr double never_s = -1e9;
  double pairs_saved_s_ = never_s;  // all measurements before this time are in the history
  std::int64_t heartbeats_ = 0, leases_given_ = 0, bulk_leases_ = 0, bulk_results_ = 0,
               snapshots_ = 0;
  std::vector<Decision> decisions_read_;  // in the transaction that is not committed yet
  DecisionCounts decision_counts_;        // of the decisions in the history since the start
  std::array<std::int64_t, protocol::probe_outcome_names.size()>
      outcomes_{};  // of probes, as their initiators reported them
  std::string trouble_history_, trouble_snapshot_, trouble_decisions_, trouble_metrics_, trouble_slurm_,
      trouble_controller_;
};

}  // namespace placement::monitor

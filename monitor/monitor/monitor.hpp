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
#include "monitor/monitor/history.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/pair_model.hpp"
#include "monitor/monitor/peer_messages.hpp"
#include "monitor/monitor/node_switches.hpp"
#include "monitor/monitor/leader_election.hpp"
#include "monitor/monitor/schedule.hpp"
#include "monitor/monitor/slurm_nodes.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/udp.hpp"

namespace placement {

// What placement-monitor is told at its start.
struct MonitorSettings {
  std::string slurm_conf;
  SlurmHosts hosts;
  std::int32_t order = 0;     // which of hosts.controllers this is
  Config config;
  bool ask_slurm = true;
  std::vector<uid_t> decision_owners;  // whose ring of decisions is believed; empty: anybody's
};

// The one loop of the monitor (monitor.cpp; its parts are in the monitor_*.cpp) [NLA §8]: hears all agents and the other monitors, keeps
// the history, hands out leave to probe while it is the one that publishes, and writes the snapshot.
class Monitor {
 public:
  using Log = std::function<void(const std::string&)>;
  // The credentials must outlive the monitor. Throws Error when the socket or the history cannot be had.
  Monitor(MonitorSettings settings, Credentials& credentials, Log log);

  // Until `stop_descriptor` becomes readable. `tend` is called every second.
  void run(int stop_descriptor, const std::function<void(double now_s)>& tend);

 private:
  struct Peer {  // another monitor
    std::int32_t order = 0;
    std::optional<ClientSession> session;  // towards those that stand before this one
    std::optional<NetAddress> address;
    double next_resolve_s = 0;
    std::optional<PeerState> state;
    double heard_s = -1e9;
    double asked_s = -1e9;
    std::array<std::uint8_t, 16> asked_history{};  // the instance that was asked: the answer's cursor is of that
    std::string last_note;
  };
  struct Lease {
    std::int32_t a = 0, b = 0;  // a: the initiator
    Measurement measurement = Measurement::latency;
    bool bulk = false;
    double until_s = 0;
  };

  Moment now() const;
  std::optional<std::int32_t> admit(const std::string& name, const NetAddress& from);
  void receive(double now_s);
  void receive_as_client(double now_s);
  void take_message(std::int32_t peer, ByteView message, double now_s);
  void take_heartbeat(std::int32_t node, const Heartbeat& beat, double now_s);
  void take_settings_taken(std::int32_t node, const SettingsTaken& taken);
  void take_result(std::int32_t node, const ProbeResult& result, double now_s);
  void take_peer_message(Peer& peer, ByteView message, double now_s);
  void take_changes(Peer& peer, const History::Changes& changes, double now_s);
  void send(Peer& peer, const Bytes& message);
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
  Log log_;
  std::vector<std::string> names_;
  std::string agent_settings_;                 // what agents are told of placement.conf
  std::vector<std::uint64_t> settings_taken_;  // of each node, the start of the agent that has taken them; 0: none
  UdpSocket socket_;
  UdpSocket peer_socket_;
  History history_;
  AddressCache addresses_;
  NodeWatch watch_;
  ServerSessions sessions_;
  std::vector<Peer> peers_;  // by order; this monitor's own place stays empty
  LeaderElection publisher_;
  PairModel pairs_;
  ProbeSchedule schedule_;
  BulkTurns bulk_;
  SlurmNodes slurm_;
  DecisionReader decisions_;

  std::unordered_map<std::uint64_t, Lease> leases_;
  std::vector<PeerMeasurement> measured_;  // to be passed on
  PairTable table_;
  double table_s_ = -1e9, table_cost_s_ = 0;
  struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
  } written_;
  double next_tick_s_ = 0, next_slurm_s_ = 0, next_peers_s_ = 0, next_publish_s_ = 0, next_decisions_s_ = 0,
         next_pairs_s_, next_prune_s_;
  static constexpr double never_s = -1e9;
  double pairs_saved_s_ = never_s;  // what was measured before is in the history, committed
  std::int64_t heartbeats_ = 0, results_ = 0, leases_given_ = 0, bulk_leases_ = 0, bulk_results_ = 0,
               decisions_kept_ = 0,
               decisions_read_ = 0, snapshots_ = 0;
  std::array<std::int64_t, probe_outcome_names.size()> outcomes_{};  // of probes, as their first ends told
  double slurm_answered_s_ = unknown_value;
  std::string trouble_history_, trouble_snapshot_, trouble_decisions_, trouble_metrics_, trouble_slurm_,
      trouble_controller_;
};

}  // namespace placement

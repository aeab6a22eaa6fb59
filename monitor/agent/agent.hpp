// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/agent/acknowledgements.hpp"
#include "monitor/agent/node_sample.hpp"
#include "monitor/agent/probe.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/periodic.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::agent {

// The settings with which placement-agent starts.
struct AgentSettings {
  std::string node;                    // NodeName of this node
  std::vector<SlurmHost> controllers;  // hosts on which the monitors run
  Config config;
  std::string root;        // prefix of /proc and /sys; empty outside of tests
  double heartbeat_s = 5;  // time between two heartbeats
};

// Chooses the monitor that this agent follows: its probe leases are valid, and its settings are in force. Agents report
// to all monitors which one they follow. A monitor leads while most agents follow it, so that at most one leads.
// Monitors are numbered in the order of slurm.conf. Times are in seconds of a steady clock.
class LeaderChoice {
 public:
  // A monitor that has acknowledged no heartbeat for this time is not followed: one of a 5 s interval may get lost.
  static constexpr double silence_s = 7.5;

  explicit LeaderChoice(std::size_t monitors) : monitors_(monitors) {}

  // Records an acknowledgement of monitor number `from`, which runs next to the active slurmctld or not.
  void note(std::size_t from, bool next_to_slurmctld, double now_s) {
    if (from < monitors_.size()) monitors_[from] = {next_to_slurmctld, now_s};
  }

  // Returns the first monitor that has answered within silence_s, one next to the active slurmctld if possible.
  std::optional<std::size_t> leader(double now_s) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      if (!(now_s - monitors_[i].at_s < silence_s)) continue;
      if (monitors_[i].next_to_slurmctld) return i;
      if (!first) first = i;
    }
    return first;
  }

 private:
  struct Answer {
    bool next_to_slurmctld = false;
    double at_s = -std::numeric_limits<double>::infinity();
  };
  std::vector<Answer> monitors_;
};

// The agent with its one loop. It sends heartbeats to every monitor and makes the probes for which it has a lease.
class Agent {
 public:
  using Log = std::function<void(const std::string&)>;
  // `control` is the socket for all but probes. It and the credentials must outlive the agent. Throws Error.
  Agent(AgentSettings settings, protocol::Credentials& credentials, protocol::UdpSocket& control, Log log);

  // Runs until `stop_descriptor` is readable, then sends a last heartbeat. Throws Error when poll() fails.
  void run(int stop_descriptor);

 private:
  struct Monitor {
    SlurmHost host;
    std::optional<protocol::NetAddress> address;
    std::future<std::vector<protocol::NetAddress>> lookup;  // valid while its address is looked up
    double next_lookup_s = 0;
    int hellos = 0;  // sent since it last answered
    protocol::ClientSession session;
    Acknowledgements acknowledgements;
    protocol::TokenBucket datagrams{50, 200};  // limits the datagrams that are read
    std::string last_note;                     // the last message logged about it, so that each is logged once
    std::vector<std::uint32_t> single_node_jobs;
  };
  class ProbeSocket;

  void sample_and_send(double now_s);
  void send_heartbeat(Monitor& monitor, double now_s);
  void repeat_heartbeats(double now_s);
  protocol::Heartbeat heartbeat(double now_s, bool leaving);
  void keep_sessions(double now_s);
  void keep_address(Monitor& monitor, double now_s);
  void read_control(double now_s);
  void take_datagram(std::size_t index, protocol::ByteView datagram, double now_s);
  void take_message(std::size_t index, protocol::ByteView message, double now_s);
  void take_settings(std::size_t index, const std::string& text, double now_s);
  void take_lease(std::size_t index, const protocol::ProbeLease& lease, double now_s);
  void read_probes();
  void run_probes(double now_s, bool can_send);
  double next_wake_s(double now_s) const;
  void send(Monitor& monitor, const protocol::Bytes& message);
  void report(const protocol::ProbeResult& result);
  std::string follows(double now_s) const;
  void tell_new_leader(double now_s);
  void open_probe_socket();
  bool busy(const Monitor& leader) const;
  void note(Monitor& monitor, const std::string& text);

  AgentSettings settings_;
  Log log_;
  std::string settings_text_;  // the leader's settings that were applied or rejected last
  NodeSampler sampler_;
  protocol::UdpSocket& control_;
  std::unique_ptr<protocol::UdpSocket> probes_;
  protocol::NetAddress probe_address_;
  std::vector<Monitor> monitors_;
  LeaderChoice leader_;
  std::unique_ptr<Prober> prober_;
  std::uint64_t start_id_ = 0;
  std::uint64_t number_ = 0;
  protocol::Heartbeat last_beat_;
  protocol::Periodic heartbeats_;
};

}  // namespace placement::agent

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/agent/node_sample.hpp"
#include "monitor/agent/probe.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/udp.hpp"

namespace placement {

// What placement-agent is told at its start.
struct AgentSettings {
  std::string node;                    // NodeName
  std::vector<SlurmHost> controllers;  // where monitors are
  Config config;
  std::string root;                    // what stands before /proc and /sys; empty outside of tests
  double heartbeat_s = 5;
};

// Which leases hold: those of the monitor that publishes, as the agent has heard it. Two monitors that
// both think so are told apart by their terms.
class PublisherView {
 public:
  explicit PublisherView(std::size_t monitors) : monitors_(monitors) {}

  // Monitor `from`, by name `name`, says this in an acknowledgement.
  void note(std::size_t from, const std::string& name, const LeaderTerm& said, double now_s);
  // The newest that was heard from any, its age counted on.
  LeaderTerm heard(double now_s) const;
  // A lease of this term, from that monitor, holds now.
  bool holds(std::size_t from, std::uint64_t term, double now_s) const;

 private:
  struct Said {
    LeaderTerm term;
    bool itself = false;
    double at_s = 0;
  };
  std::vector<Said> monitors_;
};

// The one loop of the agent: heartbeats to every monitor, probes as leased.
class Agent {
 public:
  using Log = std::function<void(const std::string&)>;
  // The credentials must outlive the agent. Throws Error when no socket can be had.
  Agent(AgentSettings settings, Credentials& credentials, Log log);

  // Until `stop_descriptor` becomes readable; then says good-bye to the monitors.
  void run(int stop_descriptor);

 private:
  struct Monitor {
    SlurmHost host;
    std::optional<NetAddress> address;
    double next_resolve_s = 0;
    ClientSession session;
    int unanswered = 0;              // heartbeats
    int repeats = 0;                 // of the last heartbeat, as far as they are still to come
    double repeat_s = 0;             // when the next one is due
    TokenBucket datagrams{50, 200};  // that are looked at
    std::string last_note;           // what was logged of it, so that it is logged once
    std::vector<std::uint32_t> single_node_jobs;
    std::string settings;            // what it says that placement.conf has for agents; empty: not told yet
  };
  class ProbeSocket;

  void sample_and_beat(double now_s);
  void beat(Monitor& monitor, double now_s);
  void repeat_beats(double now_s);
  Heartbeat heartbeat(double now_s, bool leaving);
  void keep_sessions(double now_s);
  void read_control(double now_s);
  void take_datagram(std::size_t index, ByteView datagram, double now_s);
  void take_message(std::size_t index, ByteView message, double now_s);
  void take_settings(std::size_t index, const std::string& text);
  void follow_settings(double now_s);
  void take_lease(std::size_t index, const ProbeLease& lease, double now_s);
  void read_probes();
  void run_probes(double now_s, bool can_send);
  double next_wake_s(double now_s) const;
  void report(const ProbeResult& result, std::size_t monitor);
  void open_probe_socket();
  bool busy(const Monitor& publisher) const;
  bool idle() const;
  void note(Monitor& monitor, const std::string& text);

  AgentSettings settings_;
  Log log_;
  std::string settings_text_;  // of the monitors' settings, the last that was looked at
  NodeSampler sampler_;
  UdpSocket control_;
  std::unique_ptr<UdpSocket> probes_;
  NetAddress probe_address_;
  std::vector<Monitor> monitors_;
  PublisherView publisher_;
  std::unique_ptr<Prober> prober_;
  std::size_t leased_by_ = 0;
  std::uint64_t start_id_ = 0;
  std::uint64_t number_ = 0;
  Heartbeat last_beat_;
  double next_beat_s_ = 0;
};

}  // namespace placement

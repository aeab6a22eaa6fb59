// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "monitor/protocol/credentials.hpp"
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
  // A monitor that has acknowledged no heartbeat for this time is not followed. With one every 5 s, one may be lost.
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

// Tracks which heartbeats one monitor has acknowledged, and when the last one has to be repeated. Without repetitions,
// a node would seem dead on a bad network. A monitor that no longer answers gets only one heartbeat per interval.
class Acknowledgements {
 public:
  static constexpr int patience = 3;           // heartbeats without an answer before a new handshake begins
  static constexpr int most_repeats = 2;       // largest number of repetitions of one heartbeat
  static constexpr double repeat_share = 0.3;  // time between two repetitions, as a share of the interval

  // `interval_s` is the time between two heartbeats.
  explicit Acknowledgements(double interval_s) : repeat_every_s_(repeat_share * interval_s) {}

  // Returns whether the monitor has left `patience` heartbeats unanswered, so that a new handshake begins.
  bool silent() const { return unanswered_ >= patience; }
  // Records that a heartbeat is sent.
  void sent(double now_s) {
    repeats_ = silent() ? 0 : most_repeats;
    repeat_s_ = now_s + repeat_every_s_;
    ++unanswered_;
  }
  // Returns whether the last heartbeat has to be repeated now. If so, counts it as repeated.
  bool repeat_due(double now_s) {
    if (repeats_ == 0 || now_s < repeat_s_) return false;
    --repeats_;
    repeat_s_ = now_s + repeat_every_s_;
    return true;
  }
  // Records an answer. `to_last` says whether it acknowledges the heartbeat that was sent last.
  void answered(bool to_last) {
    unanswered_ = 0;
    if (to_last) repeats_ = 0;
  }
  // Returns when the next repetition is due; infinity: none is.
  double next_s() const { return repeats_ > 0 ? repeat_s_ : std::numeric_limits<double>::infinity(); }

 private:
  double repeat_every_s_;
  int unanswered_ = 0;
  int repeats_ = 0;
  double repeat_s_ = 0;
};

// Runs the agent in one loop: sends heartbeats to every monitor, and makes the probes for which it has a lease. Runs
// until `stop_descriptor` is readable, then sends a last heartbeat. `control` is the socket for all but probes. Throws
// Error when no socket can be opened, or poll() fails.
void run_agent(AgentSettings settings, protocol::Credentials& credentials, protocol::UdpSocket& control,
               const std::function<void(const std::string&)>& log, int stop_descriptor);

}  // namespace placement::agent

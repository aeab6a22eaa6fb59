// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "monitor/protocol/messages.hpp"

namespace placement::monitor {

struct LeaderElectionSettings {
  double takeover_s = 10;  // a leader that was not heard for this time is gone
  double grace_s = 15;     // a monitor listens for this time after its start before it can become leader
  double lease_s = 30;     // an announcement of the leader is valid for this time
};

// Elects the leader among the monitors. The leader gives leases for probes and writes a snapshot file that several
// monitors share [NLA §8]. Monitors are numbered in the order of the SlurmctldHost lines. Without a leader, the running
// monitor with the lowest number begins a term, with a larger number than any term it has heard of. A leader that
// hears of a larger term steps down. No monitor takes over from a leader that runs. Agents pass on the terms they have
// heard, so that monitors that do not reach each other still learn of each other.
class LeaderElection {
 public:
  // `order` is this monitor's number from 0 and `name` its SlurmctldHost name. Times are by a steady clock.
  LeaderElection(std::int32_t order, std::string name, const LeaderElectionSettings& settings, double now_s);
  // Records that monitor number `order` runs and reports the term `says`.
  void hear_monitor(std::int32_t order, const protocol::LeaderTerm& says, double now_s);
  // Records a term that agents have heard.
  void hear_agent(const protocol::LeaderTerm& says, double now_s);

  // Updates the state. Returns true when this monitor becomes or ceases to be the leader. `unix_ms` is the wall clock,
  // from which a new term gets a larger number than old ones even if all monitors were down together.
  bool tick(double now_s, std::uint64_t unix_ms);

  bool is_leader() const { return is_leader_; }
  // Returns the term as this monitor knows it, to be sent to others.
  protocol::LeaderTerm term(double now_s) const;

 private:
  void hear(const protocol::LeaderTerm& says, double now_s);

  std::int32_t order_;
  std::string name_;
  LeaderElectionSettings settings_;
  double began_s_;
  bool is_leader_ = false;
  protocol::LeaderTerm newest_;       // the newest term, heard or this monitor's own
  double newest_heard_s_;             // when the leader itself last announced it, as far as is known
  std::vector<double> last_heard_s_;  // when each monitor with a lower number was last heard
};

}  // namespace placement::monitor

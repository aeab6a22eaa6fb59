// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "monitor/protocol/messages.hpp"

namespace placement {

struct LeaderElectionSettings {
  double takeover_s = 10;  // a publisher that nobody has heard for so long is gone
  double grace_s = 15;     // a monitor that begins listens for so long first
  double lease_s = 30;     // what the publisher says of itself holds for so long
};

// Which of the monitors publishes: hands out leave to probe, and writes a snapshot file that several
// share [NLA §8]. Monitors are numbered as the SlurmctldHost lines are. When nobody
// publishes, the first of those that run begins a term, with a number above all that were heard of;
// whoever hears of a higher term steps down, and nobody takes over from one that runs. Agents pass on
// whom they have heard, so that monitors that do not reach each other still learn of each other.
class LeaderElection {
 public:
  LeaderElection(std::int32_t order, std::string name, const LeaderElectionSettings& settings, double now_s);

  // A monitor runs, and says who publishes.
  void hear_monitor(std::int32_t order, const LeaderTerm& says, double now_s);
  // What an agent has heard.
  void hear_agent(const LeaderTerm& says, double now_s);

  // Returns true when this monitor begins or ends to publish. unix_ms keeps the numbers of terms going
  // up when all monitors were down together.
  bool tick(double now_s, std::uint64_t unix_ms);

  bool publishing() const { return publishing_; }
  // As this monitor sees it, for others.
  LeaderTerm term(double now_s) const;

 private:
  void hear(const LeaderTerm& says, double now_s);

  std::int32_t order_;
  std::string name_;
  LeaderElectionSettings settings_;
  double began_s_;
  bool publishing_ = false;
  LeaderTerm newest_;             // as heard, or one's own
  double newest_heard_s_;            // when the publisher itself last said so, as far as is known
  std::vector<double> last_heard_s_;  // of the monitors before this one, by their order
};

}  // namespace placement

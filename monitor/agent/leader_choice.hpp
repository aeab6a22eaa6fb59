// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace placement::agent {

// Chooses the monitor that this agent follows: its probe leases are valid, and its settings are in force. Agents report
// to all monitors which one they follow. A monitor leads while most agents follow it, so that at most one leads.
// Monitors are numbered in the order of slurm.conf. Times are in seconds of a steady clock.
class LeaderChoice {
 public:
  // A monitor that has acknowledged no heartbeat for this time is not followed. With heartbeats every 5 s, one of them
  // and its repetitions may get lost.
  static constexpr double silence_s = 7.5;

  explicit LeaderChoice(std::size_t monitors) : monitors_(monitors) {}

  // Records an acknowledgement of monitor number `from`, which runs next to the active slurmctld or not.
  void note(std::size_t from, bool next_to_slurmctld, double now_s) {
    if (from < monitors_.size()) monitors_[from] = {next_to_slurmctld, now_s};
  }

  // Returns the first monitor next to the active slurmctld that has answered within silence_s. If there is none,
  // returns the first of all that have.
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

}  // namespace placement::agent

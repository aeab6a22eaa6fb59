// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement {

// Whether slurmctld uses the monitor's snapshot.
enum class LiveUse {
  off,      // placement is off, and slurmctld does not look for a snapshot
  none,     // there is no snapshot, or it is too old; live_text has the reason
  used,     // the snapshot is used; live_text is its path
  refused,  // slurmctld rejects the file; live_text has the reason
};

using Facts = std::vector<std::pair<std::string, std::string>>;  // (name, value); each is one line

// The settings in force in slurmctld. The select plugin (from Slurm 25.05 on, the MPI plugin) reports them with
// slurmctld's configuration. "scontrol show config" prints them for every user who can reach slurmctld.
struct ControllerState {
  std::string mode;           // Mode of placement.conf; empty: slurmctld does not run this project's select plugin
  std::string configuration;  // path of the placement.conf that slurmctld looked for
  std::string failure;        // why placement is off although Mode is not off; empty: nothing failed
  LiveUse live = LiveUse::off;
  std::string live_text;
  std::string not_recorded;       // why decisions are not recorded although they should be; empty: recorded
  std::string monitor_user;       // MonitorUser; empty: not reported
  std::int64_t monitor_port = 0;  // MonitorPort; 0: not reported
  Facts settings;                 // the settings of placement.conf that are not the defaults: (key, value)
  std::string unbound;            // the TaskPlugin line that binds no rank to a core; empty: ranks are bound
  // Since the start of slurmctld: the longest time for which it held its locks to place one job with a policy (-1: not
  // reported), and the number of decisions that took more processor time than DecisionTimeMs.
  std::int64_t longest_hold_us = -1, decisions_over_limit = 0;

  // Returns the value of a key in `settings`; empty: the key has its default.
  std::string setting(std::string_view key) const;

  bool operator==(const ControllerState&) const = default;
};

// The longest value of a setting, in bytes. A longer value is cut to this length and ends in "..".
inline constexpr std::size_t max_fact_bytes = 4000;

// Returns the state as facts, for the configuration that slurmctld reports. Omits `unbound`, which only Slurm knows.
Facts facts_of(const ControllerState& state);

// Reads the state from "name = value" lines, in the form in which Slurm prints its configuration. Other lines are
// skipped. Lines without a fact of this project give a state without a mode.
ControllerState controller_state_of(std::string_view lines);

// Returns a message about a fault in the state, for the administrator or a log; empty if there is none.
std::string trouble_of(const ControllerState& state);

}  // namespace placement

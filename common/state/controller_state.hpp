// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement {

// What slurmctld does with the monitor's snapshot.
enum class LiveUse {
  off,      // it looks for none: placement is off
  none,     // there is none, or it is too old; live_text says which
  used,     // live_text is its file
  refused,  // the file is there, and slurmctld does not take it; live_text says why
};

// What is in force in slurmctld. The select plugin tells it with slurmctld's configuration, so that
// "scontrol show config" shows it, and everybody who can reach slurmctld may ask.
struct ControllerState {
  std::string mode;           // as in placement.conf; empty: slurmctld does not run the select plugin of this project
  std::string configuration;  // the placement.conf that slurmctld looked for
  std::string failure;        // why placement is off though the file does not say so; empty: nothing failed
  LiveUse live = LiveUse::off;
  std::string live_text;
  std::string monitor_user;      // MonitorUser; empty: slurmctld does not tell
  std::int64_t monitor_port = 0;  // MonitorPort; 0: slurmctld does not tell
  std::string unbound;        // the TaskPlugin line by which no rank is bound to its core; empty: ranks are bound

  bool operator==(const ControllerState&) const = default;
};

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values, one line each

// All but `unbound`, which is Slurm's to know.
Facts facts_of(const ControllerState& state);

// Reads "name = value" lines, as Slurm prints pairs of its configuration; others are skipped. No facts of ours give
// a state without a mode.
ControllerState controller_state_of(std::string_view lines);

// What a person or a log should be told to mend; empty: nothing.
std::string trouble_of(const ControllerState& state);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "common/policy/config.hpp"
#include "common/state/live_state.hpp"
#include "monitor/protocol/query_client.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Asks placement-monitor on the controllers of slurm.conf, as the calling user. User and port of the monitor are those
// that slurmctld reports, or else those in `config`. Throws Error.
protocol::MonitorAnswer ask_monitors(const protocol::Query& query, const Config& config);
// Asks as ask_monitors() for the decisions about `job` (0: about all jobs) that were made at `since_s` or later, and
// returns them. Throws Error.
protocol::DecisionAnswer ask_for_decisions(const Config& config, std::uint32_t job, double since_s);

// The report of a monitor about itself.
struct MonitorReport {
  std::string from;                // the controller's name
  std::string trouble;             // why it does not answer a query; empty: it does
  std::vector<std::string> notes;  // settings of its configuration files that are not in force in it
};
// Sends queries for notes, or measured pairs, to the monitor on each controller of slurm.conf, until it does not answer
// one. Throws Error when slurm.conf cannot be read, and without munge.
std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query> queries, const Config& config);

// Returns the source of an answer for messages, such as "placement-monitor on head".
std::string described(const protocol::MonitorAnswer& answer);

// Options and input that the commands about the live state have in common.
inline constexpr Option state_option{0, "state", "FILE", "a snapshot, or its JSON [SnapshotFile of placement.conf]"};
inline constexpr Option nodes_option{'n', "nodes", "LIST", "only the nodes of LIST, as n[1-4] [all]"};

// A live state with its source and age.
struct StateInput {
  std::string path;
  LiveState state;
  double age_s = 0;  // time since it was published; 0 if that is in the future

  // Returns "PATH: 5s old", with a warning when slurmctld would not use a state of this age.
  std::string described(const Config& config) const;
};

// Reads the state of --state, or of the placement.conf in the directory of slurm.conf. Asks the monitors on the
// controllers if the file is missing on another host, or if the user may not read it. `path` is then the name of the
// monitor. Throws Error.
StateInput read_state(const CommandLine& line, const Config& config);

// Returns the indices of the nodes of --nodes in the order of the state, or of all nodes without this option. Throws
// Error for a name that the state does not have.
std::vector<std::int32_t> chosen_nodes(const CommandLine& line, const LiveState& state);

}  // namespace placement::tools

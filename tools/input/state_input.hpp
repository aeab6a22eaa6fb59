// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "common/state/live_state.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

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

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/live_state.hpp"
#include "tools/command_line.hpp"

namespace placement {

// What the commands that look at a state have in common.
inline constexpr Option state_option{0, "state", "FILE",
                                     "a snapshot, or its text [SnapshotFile of placement.conf]"};
inline constexpr Option nodes_option{'n', "nodes", "LIST", "only these, as n[1-4] [all]"};
inline constexpr Option json_option{'j', "json", nullptr, "in JSON"};

struct StateInput {
  std::string path;
  LiveState state;
  double age_s = 0;  // since it was published; 0 also for one of the future

  // "/run/..: 5s old", with a warning when slurmctld would not go by it.
  std::string described(const Config& config) const;
};

// The state of --state, or of the placement.conf beside slurm.conf; on a host that is no controller and has no such
// file, of the monitor on a controller, whose name is then the path. Throws Error.
StateInput read_state(const CommandLine& line, const Config& config);

// Indices of the nodes of --nodes in the order of the state, or of all. Throws Error on a name that the
// state does not have.
std::vector<std::int32_t> chosen_nodes(const CommandLine& line, const LiveState& state);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/state/live_state.hpp"

namespace placement::tools {

// The JSON of a LiveState, for people, for tools like jq, and for test cases; tools/input/snapshot_json_read.hpp reads
// it. man/placectl-state.1 describes its members: "slurm-placement-snapshot" (the version), "published_at_s", "nodes",
// "groups" and "pairs". Each node, group and pair has a line. Units are in the names; null is an unknown value. A
// number has the fewest digits from which it can be read back exactly. Unknown pairs are omitted.
inline constexpr const char* snapshot_json_version_name = "slurm-placement-snapshot";
inline constexpr int snapshot_json_version = 3;

// Returns the JSON of a state; equal states give equal texts. Throws Error on a state that check_live_state() refuses.
std::string format_snapshot_json(const LiveState& state);

}  // namespace placement::tools

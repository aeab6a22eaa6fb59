// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement::tools {

// The JSON of a LiveState, for people, for tools like jq, and for test cases. man/placectl-state.1 describes its
// members. Each node, group and pair has a line. Units are in the names; null is an unknown value. A number has the
// fewest digits from which it can be read back exactly. Unknown pairs are omitted.

// The first member of the JSON, and its value.
inline constexpr const char* snapshot_json_name = "slurm-placement-snapshot";
inline constexpr int snapshot_json_version = 3;

// Returns the JSON of a state; equal states give equal texts. Throws Error on a state that check_live_state() refuses.
std::string format_snapshot_json(const LiveState& state);

// Returns exactly the state in `json`. `name` is the name of the file in errors. Throws Error "name: place value:
// expected ..." when a value is wrong or unknown, "name:line: .." when the text is not JSON, and "name: .." when
// check_live_state() refuses the state.
LiveState parse_snapshot_json(std::string_view json, const std::string& name);

// The largest JSON of a state that is read, in bytes.
inline constexpr std::size_t max_state_bytes = std::size_t{1} << 30;

// Reads a state from a snapshot file or from the JSON that placectl export writes, which may come through a pipe. The
// content decides which it is. Throws Error with the name of the file, also when it is not a snapshot file and has more
// than max_state_bytes. This function is for tools: slurmctld reads only the published file, and only if it belongs to
// a trusted user.
LiveState read_live_state(const std::string& path);

}  // namespace placement::tools

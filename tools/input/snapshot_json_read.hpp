// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement::tools {

// Returns exactly the state in `json`, which has the form of tools/output/snapshot_json.hpp. `name` is the
// name of the file in errors. Throws Error "name: place value: expected ..." when a value is wrong or unknown,
// "name:line: .." when the text is not JSON, and "name: .." when check_live_state() refuses the state.
LiveState parse_snapshot_json(std::string_view json, const std::string& name);

// The largest JSON of a state that is read, in bytes.
inline constexpr std::size_t max_state_bytes = std::size_t{1} << 30;

// Reads a state from a snapshot file or from the JSON that placectl export writes, which may come through a pipe. The
// content decides which it is. Throws Error with the name of the file, also when it is not a snapshot file and has more
// than max_state_bytes. This function is for tools: slurmctld reads only the published file, and only if it belongs to
// a trusted user.
LiveState read_live_state(const std::string& path);

}  // namespace placement::tools

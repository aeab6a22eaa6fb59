// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement::tools {

// Returns exactly the state of which `json` is the JSON, in the form of tools/output/snapshot_json.hpp. `name` is the
// name of the file in errors. Throws Error "name:line: place value: what is wanted" when something in it is wrong or
// not known, and "name: .." when check_live_state() refuses the state.
LiveState parse_snapshot_json(std::string_view json, const std::string& name);

}  // namespace placement::tools

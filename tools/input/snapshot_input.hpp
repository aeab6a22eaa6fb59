// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <string>

#include "common/state/live_state.hpp"

namespace placement::tools {

// Reads a state from a snapshot file or from its text, which may come through a pipe. The content decides which it is.
// Throws Error with the name of the file, also when the text has more than `max_text_bytes`. This function is for
// tools: slurmctld reads only the published file, and only if it belongs to a trusted user.
LiveState read_live_state(const std::string& path, std::size_t max_text_bytes = std::size_t{1} << 31);

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <string>

#include "common/state/live_state.hpp"

namespace placement {

// A state from a snapshot file, or from its text (which may come through a pipe); the content decides. Throws
// Error naming the file, also when the text has more than max_text_bytes. For tools: slurmctld takes the
// published file alone, and only from whom it trusts.
LiveState read_live_state(const std::string& path, std::size_t max_text_bytes = std::size_t{1} << 31);

}  // namespace placement

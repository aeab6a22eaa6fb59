// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "core/live_state.hpp"

namespace placement {

// A state from a snapshot file, or from its text; the content decides. Throws Error naming the file. For
// tools: slurmctld takes the file alone, and only from whom it trusts.
LiveState read_live_state(const std::string& path);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/api/spank_api.hpp"

#include <optional>
#include <string>

namespace placement::spank {

// Returns the value of the variable `name` in the environment of the task, as the task will see it; nothing if it is
// not set. Call it in slurmstepd.
std::optional<std::string> task_variable(spank_t spank, const char* name);

}  // namespace placement::spank

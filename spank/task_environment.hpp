// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

#include <optional>
#include <string>

namespace placement {

// A variable in the environment of the task, or of the step's tasks, on the node.
std::optional<std::string> task_variable(spank_t spank, const char* name);

}  // namespace placement

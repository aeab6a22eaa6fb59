// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>

#include "common/state/controller_state.hpp"

namespace placement::tools {

struct ControllerInput {
  std::optional<ControllerState> state;  // none: see why_not
  std::string why_not;
};

// Asks slurmctld which settings are in force. A separate process asks, because libslurm ends a process for which it
// finds no slurm.conf. Gives up after 15 s. Throws Error when no process can be started.
ControllerInput read_controller();

// Returns a text for a line of output, such as "enforce, by /etc/slurm/placement.conf" or why the mode is not known.
std::string described(const ControllerInput& controller);

}  // namespace placement::tools

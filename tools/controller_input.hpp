// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>

#include "common/state/controller_state.hpp"

namespace placement {

struct ControllerInput {
  std::optional<ControllerState> state;  // nothing: see why_not
  std::string why_not;
};

// What slurmctld says is in force. It is asked by a process of its own, since libslurm ends the process that finds no
// slurm.conf, and is given up after 15 s.
ControllerInput read_controller();

// "enforce (as /etc/slurm/placement.conf says)", for a line of output.
std::string described(const ControllerInput& controller);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/state/controller_state.hpp"
#include "plugins/planning/decision_types.h"
#include "plugins/planning/plugin_state.hpp"

namespace placement::planning {

// Brings `now.config` into force: describes the machine, opens the ring and starts the thread that reads the snapshot.
// Logs problems that do not turn placement off. Throws Error.
void configure_on(PluginState& now, const placement_machine& machine);

// Returns the settings in force and whether live data are used, for "scontrol show config".
ControllerState controller_state(const PluginState& now);

}  // namespace placement::planning

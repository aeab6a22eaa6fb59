// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/policy/config.hpp"

namespace placement {

// The settings of placement.conf that are the agents' business have one home, the file on the controllers: a monitor
// tells them to each agent in its session. What an agent needs to find a monitor (MonitorUser, MonitorPort) and to
// start at all (AgentDirectory) is its host's own.

// "Key=value" lines of the agents' settings, those with no value left out.
std::string agent_settings_text(const Config& config);

// Puts the settings of such a text in place of those that `config` has; one that the text leaves out has its default
// then. Throws Error, and changes nothing, when a line is no such setting or its value is not allowed.
void take_agent_settings(Config& config, std::string_view text);

}  // namespace placement

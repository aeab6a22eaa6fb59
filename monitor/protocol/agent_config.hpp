// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/policy/config.hpp"

namespace placement::protocol {

// Some settings of placement.conf concern the agents. They are set in one place, the file on the controllers, and a
// monitor sends them to each agent within its session. From the file of its own host, an agent reads only the keys that
// it needs to start (AgentDirectory) and to find a monitor (MonitorUser, MonitorPort).

// Returns the agents' settings in `config` as "Key=value" lines. A setting without a value has no line.
std::string agent_settings_text(const Config& config);

// Replaces the agents' settings in `config` with those in `text`, which agent_settings_text() wrote. A setting that
// `text` leaves out gets its default. Throws Error, and leaves `config` unchanged, when a line is not a setting of
// agents or when its value is not allowed.
void take_agent_settings(Config& config, std::string_view text);

}  // namespace placement::protocol

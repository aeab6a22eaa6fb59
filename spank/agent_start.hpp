// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// What nodestate needs to know to start placement-agent.
struct AgentStart {
  std::string agent;  // the program
  std::string log;    // a file for its messages, or empty: syslog alone
};

// The arguments of the plugin in plugstack.conf: agent=/path and log=/path, both absolute. Returns what
// is wrong with them, or an empty string.
std::string read_plugin_arguments(const std::vector<std::string_view>& arguments, AgentStart& start);

// Starts the agent in the background for the slurmd that this process is, with nothing of slurmd's:
// no files, no environment, no blocked signals. Whether one runs already is the agent's own business.
// Returns what failed, or an empty string.
std::string start_agent(const AgentStart& start, std::string_view cmdline);

}  // namespace placement

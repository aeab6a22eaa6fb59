// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace placement::spank {

// How nodestate.so starts placement-agent.
struct AgentStart {
  std::string agent;  // the path of the program
  std::string log;    // the file for the agent's messages; if empty, they go to syslog only
};

// Reads the plugin's arguments in plugstack.conf into `start`: agent=/path and log=/path, both absolute. Returns what
// is wrong with the arguments, or an empty string.
std::string read_plugin_arguments(const std::vector<std::string_view>& arguments, AgentStart& start);

// Starts the agent in the background. This process must be slurmd; `cmdline` is the content of its /proc/self/cmdline,
// from which the node name (-N) and slurm.conf (-f) are passed on. The agent inherits no open files, no environment and
// no blocked signals of slurmd. If an agent runs already, the new one ends by itself. Returns what failed, or an empty
// string.
std::string start_agent(const AgentStart& start, std::string_view cmdline);

}  // namespace placement::spank

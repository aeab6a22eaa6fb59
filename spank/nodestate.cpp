// SPDX-License-Identifier: GPL-2.0-or-later
// nodestate.so starts placement-agent when slurmd loads its SPANK plugins. This happens before slurmd goes to the
// background, and again after each restart; the agent's own lock ensures that only one agent runs. Nothing stays active
// in slurmd. In every other program this plugin does nothing.
#include "spank/request/spank_api.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "spank/agent_start.hpp"

SPANK_PLUGIN_SYMBOLS("nodestate")

namespace {

// Returns true if systemd runs and starts the agent.
bool left_to_systemd() {
  return access("/run/systemd/system", F_OK) == 0 &&
         access("/etc/systemd/system/multi-user.target.wants/placement-agent.service", F_OK) == 0;
}

void start(int count, char** arguments) {
  placement::spank::AgentStart start{.agent = AGENT_PROGRAM, .log = {}};
  std::string wrong = placement::spank::read_plugin_arguments({arguments, arguments + count}, start);
  if (wrong.empty() && left_to_systemd()) {
    slurm_verbose("placement: nodestate: systemd starts placement-agent, so slurmd does not");
    return;
  }
  if (wrong.empty()) {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string cmdline{std::istreambuf_iterator<char>(file), {}};
    wrong = placement::spank::start_agent(start, cmdline);
  }
  if (wrong.empty())
    slurm_verbose("placement: nodestate: %s started, unless it ran already", start.agent.c_str());
  else
    slurm_error("placement: nodestate: %s", wrong.c_str());
}

}  // namespace

// Always returns ESPANK_SUCCESS, so that slurmd continues without the agent.
EXPORTED int slurm_spank_init(spank_t, int count, char** arguments) {
  try {
    if (spank_context() == S_CTX_SLURMD) start(count, arguments);
  } catch (...) {
  }
  return ESPANK_SUCCESS;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/cause.hpp"

namespace placement::monitor {

OutageCause cause_of_silence(const SilenceFacts& facts) {
  if (facts.planned) return {false, "planned"};
  if (!facts.over) {
    if (facts.slurm_sees_it && !facts.slurm_missed) return {false, "agent"};
    return {true, "silent"};
  }
  if (facts.comeback == Comeback::rebooted) return {true, "reboot"};
  if (facts.comeback == Comeback::agent_restarted) {
    // The agent was started again. If the node itself had failed, Slurm would have missed it too.
    if (facts.slurm_missed) return {true, "silent"};
    return {false, "agent"};
  }
  return {true, "link"};
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

#include "monitor/monitor/liveness.hpp"

namespace placement::monitor {

// How a node that returns differs from its state before the silence.
enum class Comeback : std::uint8_t { as_before, agent_restarted, rebooted };

// The facts by which a monitor judges the cause of a node's silence.
struct SilenceFacts {
  bool over = false;                        // the node is heard again
  Comeback comeback = Comeback::as_before;  // has a meaning only if `over`
  bool planned = false;       // Slurm had it drained, in maintenance or powered down when the silence began
  bool slurm_missed = false;  // Slurm found it not responding or down during the silence
  // Slurm has reached slurmd since the silence began: at least two of its pings are over.
  bool slurm_sees_it = false;
};

// The cause of a node's silence, and whether estimates of outages count it.
struct OutageCause {
  bool counted = true;     // it is an unplanned outage of the node, which the estimates use
  std::string_view cause;  // "silent", "reboot", "link", "agent" or "planned"
};

// Returns why a node was not heard [TOFA §3]. "silent" (as long as the silence lasts) and "reboot" mean that the node
// failed. "link" means that the network failed, because the agent ran all the time. These causes are counted. "agent"
// means that only the agent failed. It is not counted, because jobs continue. "planned" is not counted either.
inline OutageCause cause_of_silence(const SilenceFacts& facts) {
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

// The outage of a node is a second state machine, next to its Phase (liveness.hpp); doc/live-state.md has its table.
enum class OutagePhase : std::uint8_t {
  none,    // no outage lasts
  silent,  // the node is not heard
  slurmd,  // the agent is heard, and only slurmd is missing
};
enum class OutageSignal : std::uint8_t {
  lost,           // the node is given up
  slurmd_missed,  // the agent or slurmctld misses slurmd, while the agent is heard
  slurmd_back,    // the agent and slurmctld both see slurmd again
  heard,          // the node is heard after a silence
};

// Returns the phase that follows when a node in `phase` gives the signal.
constexpr OutagePhase outage_phase_after(OutagePhase phase, OutageSignal signal) {
  switch (signal) {
    case OutageSignal::lost: return OutagePhase::silent;
    case OutageSignal::slurmd_missed: return phase == OutagePhase::none ? OutagePhase::slurmd : phase;
    case OutageSignal::slurmd_back: return phase == OutagePhase::slurmd ? OutagePhase::none : phase;
    case OutageSignal::heard: return phase == OutagePhase::silent ? OutagePhase::none : phase;
  }
  return phase;
}

}  // namespace placement::monitor

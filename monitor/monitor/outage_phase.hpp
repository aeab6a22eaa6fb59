// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

namespace placement::monitor {

// The outage of a node is a second state machine, next to that of its liveness (Phase in liveness.hpp).
// doc/live-state.md explains its table.
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

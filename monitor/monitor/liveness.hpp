// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement::monitor {

// The parts of the state of a node in slurmctld that matter for the monitor.
enum class SlurmView : std::uint8_t {
  unknown,         // slurmctld was not asked or does not answer
  responding,      // its slurmd answers
  not_responding,  // its slurmd does not answer, and Slurm has not yet set the node down
  down,
  planned,  // drained, in maintenance, rebooted on request or powered down: its silence is no failure
};

// If many nodes fall silent within 30 s, the observer is suspected instead of the nodes. "Many" are at least
// doubt_least nodes, and more than the share doubt_share of the nodes that were up.
inline constexpr std::int32_t doubt_least = 3;
inline constexpr double doubt_share = 0.5;

// The life of a node is a state machine. doc/live-state.md explains its table.
enum class Phase : std::uint8_t {
  unknown,  // never heard
  up,
  suspect,  // silent for longer than suspect_after, or expected and not heard yet
  down,     // given up
  left,     // its agent was stopped
};
// What changes the phase of a node.
enum class Signal : std::uint8_t {
  heartbeat,
  leaving,   // the agent announces that it was stopped and ends
  expected,  // the history shows that the node was up when this observer last ran
  quiet,     // the silence exceeds suspect_after
  lost,      // the silence exceeds the node's patience, and the observer is not in doubt
};

// Returns the phase that follows when a node in `phase` gives the signal. Most signals mean nothing in most phases.
constexpr Phase phase_after(Phase phase, Signal signal) {
  switch (signal) {
    case Signal::heartbeat: return Phase::up;
    case Signal::leaving: return Phase::left;
    case Signal::expected: return phase == Phase::unknown ? Phase::suspect : phase;
    case Signal::quiet: return phase == Phase::up ? Phase::suspect : phase;
    case Signal::lost: return phase == Phase::suspect ? Phase::down : phase;
  }
  return phase;
}

// Decides which nodes are up, by counting missed heartbeats [TOFA §3, NLA §8]. Times are those of a steady clock.
class LivenessTable {
 public:
  enum class Change : std::uint8_t {
    up,    // the node is heard, for the first time or again
    down,  // the node was up and is given up
  };
  struct Event {
    std::int32_t node = 0;
    Change change = Change::up;
    double since_s = 0;     // down: time of the last heartbeat; up: time of the present one
    double silent_s = 0;    // up: length of the silence before; 0: it was never heard before
    bool was_down = false;  // up: it had been given up
    bool doubted = false;   // the observer was in doubt during the silence; up: so it reported no `down`
  };

  // Nodes are numbered from 0 to nodes - 1, and start in phase unknown.
  explicit LivenessTable(std::int32_t nodes);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

  // Records a heartbeat; the next tick() returns its events. `again` marks a repeated heartbeat, whose acknowledgement
  // was lost. It shows that the node is alive, but its interval does not count.
  void heard(std::int32_t node, double now_s, bool again = false);
  // Records that the node was up when this observer last ran. The node is given up if it is not heard soon.
  void expect(std::int32_t node, double now_s);
  // Records that the node's agent was stopped. Its silence is expected and no outage.
  void left(std::int32_t node);
  bool has_left(std::int32_t node) const { return nodes_[node].phase == Phase::left; }
  // Records the state of the node in slurmctld.
  void take_slurm_view(std::int32_t node, SlurmView view);

  // Returns what has changed since the last call. It has to be called about once a second.
  std::vector<Event> tick(double now_s);

  Liveness state(std::int32_t node) const;
  double last_heard_s(std::int32_t node) const { return nodes_[node].heard_s; }  // NaN: never
  // Returns the length of the silence after which this node is given up, in seconds.
  double patience_s(std::int32_t node) const;

  bool in_doubt() const { return doubt_; }  // the observer suspects itself: suspect nodes are not given up

 private:
  struct Node {
    Phase phase = Phase::unknown;
    SlurmView view = SlurmView::unknown;
    bool beat = false;     // it was heard since the last tick
    bool doubted = false;  // it was silent while the observer was in doubt
    double heard_s = unknown_value;
    double beat_s = unknown_value;         // time of the last heartbeat that was not a repetition
    double silent_from_s = unknown_value;  // start of the silence; later than heard_s after a pause of the observer
    double silent_before_s = 0;            // silence before the first heartbeat since the last tick; -1: first ever
    double mean_s = 0;                     // recent mean of its intervals
    double variance_s2 = 0;
  };

  static void learn(Node& node, double interval_s);
  void begin_tick(double now_s);
  void take_beat(std::int32_t index, std::vector<Event>& events);
  void judge_observer(double now_s);
  static bool is_up(const Node& node) { return node.phase == Phase::up || node.phase == Phase::suspect; }
  static double silence(const Node& node, double now_s) { return now_s - node.silent_from_s; }
  static bool quiet(const Node& node, double now_s);
  static double patience(const Node& node);
  static bool explained(const Node& node);

  std::vector<Node> nodes_;
  double last_tick_s_ = unknown_value;
  bool doubt_ = false;
};

// How a node that returns differs from its state before the silence.
enum class Comeback : std::uint8_t { as_before, agent_restarted, rebooted };

// The facts by which a monitor judges the cause of a node's silence.
struct SilenceFacts {
  bool over = false;                        // the node is heard again
  Comeback comeback = Comeback::as_before;  // has a meaning only if `over`
  bool planned = false;       // Slurm had it drained, in maintenance or powered down when the silence began
  bool slurm_missed = false;  // Slurm found it not responding or down during the silence
  // Slurm has reached slurmd during the silence, at two consecutive pings or more up to now.
  bool slurm_sees_it = false;
};

// The cause of a node's silence, and whether estimates of outages count it.
struct OutageCause {
  bool counted = true;     // it is an unplanned outage of the node, which the estimates use
  std::string_view cause;  // "silent", "reboot", "link", "agent" or "planned"
};

// Returns why a node was not heard [TOFA §3]. "silent" and "reboot" mean that the node failed. "link" means that the
// network failed, because the agent ran all the time. These causes are counted. "agent" means that only the agent
// failed. It is not counted, because jobs continue. "planned" is not counted either.
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

// The outage of a node is a second state machine, next to its Phase; doc/live-state.md has its table.
enum class OutagePhase : std::uint8_t {
  none,    // no outage
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

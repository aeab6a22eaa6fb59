// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// What slurmctld thinks of a node, as far as it matters here.
enum class SlurmView : std::uint8_t {
  unknown,         // not asked, or it does not answer
  responding,      // its slurmd answers
  not_responding,  // it does not; Slurm has not yet given the node up
  down,
  planned,         // drained, in maintenance, rebooted by order, powered down: what it does is no fault
};

struct LivenessSettings {
  double heartbeat_s = 5;
  // In missed heartbeats, each as long as the mean interval measured of the node. A node whose
  // intervals vary (loss, a busy network) is given up later, at most at down_most.
  double suspect_after = 2.2;
  double down_after = 4;
  double down_most = 5.8;
  double deviations = 14;  // so many standard deviations of its interval is not yet an outage
  // When more than this share of the nodes that were up, and at least so many, fall silent within
  // doubt_window_s, the observer is suspected, not the nodes.
  double doubt_share = 0.5;
  std::int32_t doubt_least = 3;
  double doubt_window_s = 30;
  // Not having been able to run for so long is the observer's own silence.
  double own_pause_s = 4;
};

// Who is up, by the accrual of missed heartbeats [TOFA §3, NLA §8]. Takes the time from the caller,
// in seconds of a steady clock; it never asks for it.
class LivenessTable {
 public:
  enum class Change : std::uint8_t {
    up,    // it is heard, for the first time or again
    down,  // it was up, and is given up
  };
  struct Event {
    std::int32_t node = 0;
    Change change = Change::up;
    double since_s = 0;       // down: the last heartbeat; up: this one
    double silent_s = 0;      // up: how long it was not heard before; 0: never heard before
    bool was_down = false;    // up: after having been given up
    bool doubted = false;     // up: the observer was in doubt meanwhile, so that nobody gave it up
  };

  LivenessTable(std::int32_t nodes, const LivenessSettings& settings);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

  // A heartbeat. Events of it come with the next tick. One that was heard before, sent again because its
  // acknowledgement was lost, is a sign of life, and says nothing of the sender's rhythm.
  void heard(std::int32_t node, double now_s, bool again = false);
  // The node was up when this observer last ran: it will be given up if it is not heard from now on.
  void expect(std::int32_t node, double now_s);
  // The node said that its agent ends: its silence is expected, and no outage.
  void left(std::int32_t node);
  void slurm_says(std::int32_t node, SlurmView view);

  // What has changed. To be called about once a second.
  std::vector<Event> tick(double now_s);

  Liveness state(std::int32_t node) const;
  // Heartbeats missed by now, in intervals; NaN: never heard.
  double missed(std::int32_t node, double now_s) const;
  double last_heard_s(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].heard_s; }  // NaN: never
  // Silence after which this node is given up.
  double patience_s(std::int32_t node) const;
  SlurmView slurm_view(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].view; }

  bool in_doubt() const { return doubt_; }
  double in_doubt_since_s() const { return doubt_since_s_; }
  std::int32_t up() const { return up_; }  // nodes that are up or suspect

 private:
  enum class Phase : std::uint8_t { unknown, up, suspect, down, left };
  struct Node {
    Phase phase = Phase::unknown;
    SlurmView view = SlurmView::unknown;
    bool beat = false;         // heard since the last tick
    bool doubted = false;      // silent while the observer was in doubt
    double heard_s = unknown_value;
    double beat_s = unknown_value;  // not one heard again
    double silent_from_s = unknown_value;  // later than heard_s after a pause of the observer
    double silent_before_s = 0;            // before the beat that the next tick tells of; -1: the first ever
    double mean_s = 0;         // of its intervals, of late
    double variance_s2 = 0;
  };

  void learn(Node& node, double interval_s) const;
  double silence(const Node& node, double now_s) const { return now_s - node.silent_from_s; }
  double patience(const Node& node) const;
  static bool explained(const Node& node);

  LivenessSettings settings_;
  std::vector<Node> nodes_;
  double last_tick_s_ = unknown_value;
  bool doubt_ = false;
  double doubt_since_s_ = unknown_value;
  std::int32_t up_ = 0;
};

std::string_view to_string(SlurmView view);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/liveness.hpp"

#include <algorithm>
#include <cmath>

namespace placement::monitor {

constexpr double heartbeat_s = 5;
constexpr double learning_rate = 0.05;  // weight of the newest interval in a node's mean and variance
// These are numbers of missed heartbeats, each as long as the node's measured mean interval. A node whose intervals
// vary, as with loss, is given up later, but after down_most intervals of heartbeat_s at the latest.
constexpr double suspect_after = 2.2, down_after = 4, down_most = 5.8;
constexpr double deviations = 14;  // a silence of this many standard deviations of the interval is not yet an outage
constexpr double doubt_window_s = 30;
constexpr double own_pause_s = 4;  // a silence is attributed to this process if it did not run for this time

LivenessTable::LivenessTable(std::int32_t nodes) : nodes_(static_cast<std::size_t>(nodes)) {
  for (Node& node : nodes_) node.mean_s = heartbeat_s;
}

bool LivenessTable::quiet(const Node& node, double now_s) { return silence(node, now_s) > suspect_after * node.mean_s; }

void LivenessTable::learn(Node& node, double interval_s) {
  // An outage is not an interval, and a burst after a pause does not show the sender's interval.
  if (!(interval_s <= down_most * heartbeat_s && interval_s >= 0.2 * heartbeat_s)) return;
  const double difference = interval_s - node.mean_s;
  node.mean_s += learning_rate * difference;
  node.variance_s2 = (1 - learning_rate) * (node.variance_s2 + learning_rate * difference * difference);
  node.mean_s = std::clamp(node.mean_s, 0.8 * heartbeat_s, 1.25 * heartbeat_s);
}

double LivenessTable::patience(const Node& node) {
  const double varied = node.mean_s + deviations * std::sqrt(node.variance_s2);
  return std::min(std::max(down_after * node.mean_s, varied), down_most * heartbeat_s);
}

double LivenessTable::patience_s(std::int32_t node) const { return patience(nodes_[node]); }

void LivenessTable::heard(std::int32_t index, double now_s, bool again) {
  Node& node = nodes_[index];
  const double silent_s = std::isnan(node.heard_s) ? -1 : now_s - node.heard_s;
  if (!node.beat) node.silent_before_s = silent_s;
  if (!again) {
    if (is_up(node)) learn(node, now_s - node.beat_s);
    node.beat_s = now_s;
  }
  node.heard_s = node.silent_from_s = now_s;
  node.beat = true;
}

void LivenessTable::expect(std::int32_t index, double now_s) {
  Node& node = nodes_[index];
  if (node.phase != Phase::unknown) return;
  node.phase = phase_after(node.phase, Signal::expected);
  node.silent_from_s = now_s;
}

void LivenessTable::left(std::int32_t index) {
  Node& node = nodes_[index];
  node.phase = phase_after(node.phase, Signal::leaving);
  node.beat = false;
}

void LivenessTable::take_slurm_view(std::int32_t index, SlurmView view) { nodes_[index].view = view; }

// Returns whether Slurm explains the node's silence. The silence of a node that is down in Slurm or planned to be
// away is no sign of trouble of the observer.
bool LivenessTable::explained(const Node& node) {
  return node.view == SlurmView::planned || node.view == SlurmView::down;
}

// This process could not hear anything while it did not run, so silence counts only from now on.
void LivenessTable::begin_tick(double now_s) {
  if (now_s - last_tick_s_ > own_pause_s)
    for (Node& node : nodes_)
      if (!std::isnan(node.silent_from_s) && node.phase != Phase::down)
        node.silent_from_s = std::max(node.silent_from_s, now_s - heartbeat_s);
  last_tick_s_ = now_s;
}

void LivenessTable::take_beat(std::int32_t index, std::vector<Event>& events) {
  Node& node = nodes_[index];
  node.beat = false;
  // The node had a long silence and yet was not given up: the observer was in doubt, or did not run.
  const bool doubted = is_up(node) && (node.doubted || node.silent_before_s > patience(node));
  if (!is_up(node) || doubted || node.silent_before_s < 0)
    events.push_back(
        {index, Change::up, node.heard_s, std::max(node.silent_before_s, 0.0), node.phase == Phase::down, doubted});
  node.doubted = false;
  node.phase = phase_after(node.phase, Signal::heartbeat);
}

// Decides whether the observer is in doubt: it suspects itself, and not the nodes, if most of them fall silent.
void LivenessTable::judge_observer(double now_s) {
  std::int32_t observed = 0, fell_silent = 0;
  for (const Node& node : nodes_) {
    if (node.phase == Phase::up) {
      ++observed;
    } else if (!explained(node) &&
               (node.phase == Phase::suspect || (node.phase == Phase::down && silence(node, now_s) < doubt_window_s))) {
      ++observed;
      fell_silent += quiet(node, now_s);
    }
  }
  const bool doubt = fell_silent >= doubt_least && fell_silent > doubt_share * observed;
  // The first nodes are heard again, so the others get the usual time to follow.
  if (!doubt && doubt_)
    for (Node& node : nodes_)
      if (node.doubted && !explained(node)) node.silent_from_s = now_s;
  doubt_ = doubt;
}

std::vector<LivenessTable::Event> LivenessTable::tick(double now_s) {
  std::vector<Event> events;
  begin_tick(now_s);
  for (std::int32_t i = 0; i < nodes(); ++i) {
    Node& node = nodes_[i];
    if (node.beat) take_beat(i, events);
    if (quiet(node, now_s)) node.phase = phase_after(node.phase, Signal::quiet);
  }
  judge_observer(now_s);
  for (std::int32_t i = 0; i < nodes(); ++i) {
    Node& node = nodes_[i];
    if (node.phase == Phase::suspect && doubt_ && !explained(node)) {
      node.doubted = true;
    } else if (node.phase == Phase::suspect && silence(node, now_s) > patience(node)) {
      node.phase = phase_after(node.phase, Signal::lost);
      events.push_back({i, Change::down, std::isnan(node.heard_s) ? node.silent_from_s : node.heard_s,
                        silence(node, now_s), false, node.doubted});
      node.doubted = false;
    }
  }
  return events;
}

Liveness LivenessTable::state(std::int32_t index) const {
  const Node& node = nodes_[index];
  switch (node.phase) {
    case Phase::up: return Liveness::up;
    case Phase::suspect: return node.doubted || std::isnan(node.heard_s) ? Liveness::unknown : Liveness::suspect;
    case Phase::down: return Liveness::down;
    case Phase::unknown:
    case Phase::left: break;
  }
  // The node was never heard, or its agent was stopped. It is down only if Slurm reports it as down.
  return node.view == SlurmView::down ? Liveness::down : Liveness::unknown;
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
// The part of NodeWatch that reads and writes the history.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "monitor/monitor/node_watch.hpp"

namespace placement::monitor {

constexpr double left_slack_s = 1;  // the time in the setting is rounded

static std::string left_setting(const std::string& node) { return "left " + node; }

// Takes the outages, the time of observation and the last heartbeat of each node from the history.
void NodeWatch::read_history() {
  for (const OutageRecord& outage : history_.outages())
    if (const auto found = index_.find(outage.node); found != index_.end()) {
      Node& node = at(found->second);
      node.state.outages += outage.counted;
      if (outage.lasts()) {
        node.outage = outage;
        take(node, OutageSignal::lost);
      } else {
        set_last(node, outage);
      }
    }
  for (const SpanRecord& span : history_.spans())
    if (const auto found = index_.find(span.node); found != index_.end()) {
      Node& node = at(found->second);
      node.before.observed.push_back({span.began_at_s, span.ended_at_s});
      node.state.observed_s += span.ended_at_s - span.began_at_s;
      if (!(node.seen_wall_s >= span.ended_at_s)) node.seen_wall_s = span.ended_at_s;
    }
}

// Returns whether, in the history, the node's agent was stopped and the node was not seen after that.
bool NodeWatch::has_left(const Node& node) {
  const std::string left_s = history_.setting(left_setting(node.state.name));
  return !left_s.empty() && !(node.seen_wall_s > std::atof(left_s.c_str()) + left_slack_s);
}

void NodeWatch::note_left(Node& node, bool left, Moment now) {
  history_.keep_setting(left_setting(node.state.name), left ? std::to_string(now.wall_s) : std::string());
}

void NodeWatch::set_last(Node& node, OutageRecord outage) {
  if (node.last && node.last->counted) node.before.outages.push_back(node.last->began_at_s);
  node.last = std::move(outage);
}

// Returns all that was seen of the node until its last heartbeat.
NodeObservation NodeWatch::observation(const Node& node) {
  NodeObservation all = node.before;
  for (const auto& outage : {node.last, node.outage})
    if (outage && outage->counted) all.outages.push_back(outage->began_at_s);
  if (!std::isnan(node.span_began_wall_s)) all.observed.push_back({node.span_began_wall_s, node.seen_wall_s});
  return all;
}

void NodeWatch::begin_span(Node& node, double wall_s) {
  if (std::isnan(node.span_began_wall_s)) node.span_began_wall_s = wall_s;
}

void NodeWatch::end_span(Node& node, double wall_s) {
  if (std::isnan(node.span_began_wall_s)) return;
  history_.keep(SpanRecord{node.state.name, node.span_began_wall_s, wall_s});
  node.state.observed_s += std::max(0.0, wall_s - node.span_began_wall_s);
  node.before.observed.push_back({node.span_began_wall_s, wall_s});
  node.span_began_wall_s = unknown_value;
}

void NodeWatch::save_spans(bool all) {
  for (Node& node : nodes_)
    if (!std::isnan(node.span_began_wall_s) && (all || node.seen_wall_s > node.span_began_wall_s))
      history_.keep(SpanRecord{node.state.name, node.span_began_wall_s, node.seen_wall_s});
}

}  // namespace placement::monitor

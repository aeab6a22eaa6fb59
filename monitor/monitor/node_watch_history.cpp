// SPDX-License-Identifier: GPL-2.0-or-later
// The part of NodeWatch that reads and writes the history and keeps the slots from which outages are estimated.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/util/error.hpp"
#include "monitor/monitor/node_watch.hpp"

namespace placement::monitor {

namespace {

// A slot ends this long after its time is over, because an outage is noticed some time after it began.
constexpr double slot_grace_s = 60;
constexpr double fill_pause_s = 300;  // between two readings of the whole history

// Another monitor, by its own clock, may have heard a node for so long after its agent ended.
constexpr double left_slack_s = 10;

std::string left_setting(const std::string& node) { return "left " + node; }

double slot_of(double wall_s) { return std::floor((wall_s - slot_grace_s) / outage_slot_s) * outage_slot_s; }

}  // namespace

// Takes the outages, the time of observation and the last heartbeat of each node from the history.
void NodeWatch::count_history() {
  for (Node& node : nodes_) {
    node.state.outages = 0;
    node.state.observed_s = 0;
  }
  for (const OutageRecord& outage : history_.outages())
    if (const auto found = index_.find(outage.node); found != index_.end() && outage.counted)
      ++at(found->second).state.outages;
  for (const SpanRecord& span : history_.spans())
    if (const auto found = index_.find(span.node); found != index_.end()) {
      Node& node = at(found->second);
      node.state.observed_s += span.ended_at_s - span.began_at_s;
      if (!(node.seen_wall_s >= span.ended_at_s)) node.seen_wall_s = span.ended_at_s;
    }
}

// Returns whether the history says that the node's agent ended by order, and shows no sign of the node after that.
bool NodeWatch::has_left(const Node& node) {
  const std::string left_s = history_.setting(left_setting(node.state.name));
  return !left_s.empty() && !(node.seen_wall_s > std::atof(left_s.c_str()) + left_slack_s);
}

void NodeWatch::note_left(Node& node, bool left, Moment now) {
  pending_.put_setting(left_setting(node.state.name), left ? std::to_string(now.wall_s) : std::string());
}

void NodeWatch::fill_estimator(double wall_s) {
  std::vector<std::string> names;
  for (const Node& node : nodes_) names.push_back(node.state.name);
  const std::vector<SpanRecord> spans = history_.spans();
  const std::vector<OutageRecord> outages = history_.outages();
  slot_began_wall_s_ = slot_of(wall_s);
  estimator_filled_s_ = last_tick_s_;
  estimator_ = OutageEstimator(nodes(), settings_.estimator, settings_.outage);
  double begin_s = slot_began_wall_s_;
  for (const SpanRecord& span : spans) begin_s = std::min(begin_s, span.began_at_s);
  begin_s = std::max(slot_of(begin_s), slot_began_wall_s_ - slot_of(settings_.look_back_s));
  for_each_slot(names, spans, outages, begin_s, slot_began_wall_s_,
                [this](std::span<const SlotSeen> slot) { estimator_.see(slot); });
  for (Node& node : nodes_) {
    node.slot_outages = 0;
    node.observed.clear();
  }
  for (const SpanRecord& span : spans)
    if (const auto found = index_.find(span.node); found != index_.end() && span.ended_at_s > slot_began_wall_s_) {
      Node& node = at(found->second);
      // The history has the open span as far as it was saved; that part is not counted twice.
      const double end_s =
          std::isnan(node.span_began_wall_s) ? span.ended_at_s : std::min(span.ended_at_s, node.span_began_wall_s);
      if (end_s > span.began_at_s) add_observed(node, {span.began_at_s, end_s});
    }
  for (const OutageRecord& outage : outages)
    if (const auto found = index_.find(outage.node);
        found != index_.end() && outage.counted && outage.began_at_s >= slot_began_wall_s_)
      ++at(found->second).slot_outages;
  history_changed_ = false;
}

void NodeWatch::begin_span(Node& node, double wall_s) {
  if (std::isnan(node.span_began_wall_s)) node.span_began_wall_s = wall_s;
}

void NodeWatch::end_span(Node& node, double wall_s) {
  if (std::isnan(node.span_began_wall_s)) return;
  pending_.put(SpanRecord{node.state.name, node.span_began_wall_s, wall_s});
  node.state.observed_s += std::max(0.0, wall_s - node.span_began_wall_s);
  if (wall_s > node.span_began_wall_s) add_observed(node, {node.span_began_wall_s, wall_s});
  node.span_began_wall_s = unknown_value;
}

void NodeWatch::save_spans(Moment, bool all) {
  for (Node& node : nodes_)
    if (!std::isnan(node.span_began_wall_s) && (all || node.seen_wall_s > node.span_began_wall_s))
      pending_.put(SpanRecord{node.state.name, node.span_began_wall_s, node.seen_wall_s});
}

void NodeWatch::save(Moment now) { save_spans(now, true); }

void NodeWatch::keep_estimator(Moment now) {
  const bool refill = history_changed_ && now.steady_s - estimator_filled_s_ >= fill_pause_s;
  if (slot_of(now.wall_s) != slot_began_wall_s_ || refill) close_slot(now.wall_s);
}

void NodeWatch::close_slot(double wall_s) {
  const double next_s = slot_began_wall_s_ + outage_slot_s;
  // If past slots have changed, or the clock has, the estimator is filled anew.
  if (history_changed_ || slot_of(wall_s) != next_s) {
    if (pending_.size() > 0) return;  // the estimator is filled from the history when all records are written
    try {
      fill_estimator(wall_s);
    } catch (const Error& error) {
      log_(std::string("the history cannot be read: ") + error.what());
      slot_began_wall_s_ = slot_of(wall_s);  // the next slot tries again
      estimator_filled_s_ = last_tick_s_;
    }
    return;
  }
  std::vector<SlotSeen> slot;
  for (const Node& node : nodes_) slot.push_back(slot_until(node, next_s));
  estimator_.see(slot);
  slot_began_wall_s_ = next_s;
  for (Node& node : nodes_) {
    std::erase_if(node.observed, [next_s](const Period& period) { return period.ended_s <= next_s; });
    node.slot_outages = 0;
    for (const auto& outage : {node.outage, node.last})
      node.slot_outages += outage && outage->counted && outage->began_at_s >= next_s;
  }
}

void NodeWatch::add_observed(Node& node, Period period) {
  if (!node.observed.empty() && period.began_s <= node.observed.back().ended_s)
    node.observed.back().ended_s = std::max(node.observed.back().ended_s, period.ended_s);
  else
    node.observed.push_back(period);
}

// Returns what was seen of a node in the present slot, until end_s.
SlotSeen NodeWatch::slot_until(const Node& node, double end_s) const {
  if (node.slot_outages > 0) return {1, node.slot_outages};
  const auto part = [&](double began_s, double ended_s) {
    return std::max(0.0, std::min(ended_s, end_s) - std::max(began_s, slot_began_wall_s_));
  };
  double observed_s = std::isnan(node.span_began_wall_s) ? 0 : part(node.span_began_wall_s, node.seen_wall_s);
  for (const Period& period : node.observed) observed_s += part(period.began_s, period.ended_s);
  return {std::min(1.0, observed_s / outage_slot_s), 0};
}

// After writing, the numbers of outages are read back from the history, because it may merge records. So a monitor that
// restarts finds these numbers again.
void NodeWatch::write() {
  pending_.write(history_);
  written_counts_.clear();
  for (const std::string& name : pending_.nodes_with_outages())
    written_counts_[index_.at(name)] = {history_.counted_outages(name),
                                        history_.counted_outages(name, slot_began_wall_s_)};
}

void NodeWatch::written() {
  for (const auto& [node, counts] : written_counts_) {
    at(node).state.outages = static_cast<std::int32_t>(counts.all);
    at(node).slot_outages = static_cast<std::int32_t>(counts.in_slot);
  }
  written_counts_.clear();
  pending_.forget();
}

}  // namespace placement::monitor

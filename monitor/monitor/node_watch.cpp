// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/node_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "common/util/text.hpp"

namespace placement::monitor {

constexpr double still_expected_s = 3600;  // a node seen this shortly before the start is expected to be heard
constexpr double clock_jump_s = 2;         // a smaller correction of the clock is ignored
constexpr double span_save_s = 60;         // time between two writings of the times of observation
constexpr double slurmd_patience_s = 15;   // slurmd has an outage when its agent does not see it for this time
constexpr double slurm_patience_s = 4;  // slurmd has an outage when slurmctld misses it in two answers this far apart
constexpr double slurm_answer_s = 250;  // within this time slurmctld pings each node twice

constexpr double left_slack_s = 1;  // the time in the setting is rounded

static std::string left_setting(const std::string& node) { return "left " + node; }

static std::string seconds(double value) { return fixed_number(value, 0) + " s"; }

NodeWatch::NodeWatch(std::vector<std::string> names, History& history, OutageEstimator estimator, Log log, Moment now)
    : nodes_(names.size()),
      history_(history),
      estimator_(estimator),
      log_(std::move(log)),
      table_(static_cast<std::int32_t>(names.size())),
      clock_ahead_s_(now.wall_s - now.steady_s),
      clock_good_since_s_(now.steady_s),
      spans_saved_s_(now.steady_s) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    index_.emplace(names[i], static_cast<std::int32_t>(i));
    nodes_[i].state.name = std::move(names[i]);
  }
  read_history();
  for (std::int32_t i = 0; i < nodes(); ++i) {
    Node& node = at(i);
    if (has_left(node) && !node.outage) table_.left(i);
    if (node.outage || now.wall_s - node.seen_wall_s < still_expected_s) table_.expect(i, now.steady_s);
  }
}

std::optional<std::int32_t> NodeWatch::index(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

// Handles a clock that was set, or a machine that slept. The time of observation ends with the last heartbeat before
// that, and a new one starts now. The time between is not observed.
void NodeWatch::watch_clock(Moment now) {
  const double ahead_s = now.wall_s - now.steady_s;
  const double jump_s = ahead_s - std::exchange(clock_ahead_s_, ahead_s);
  if (std::abs(jump_s) <= clock_jump_s) return;
  clock_good_since_s_ = now.steady_s;
  log_("this host's clock was set " + seconds(std::abs(jump_s)) + (jump_s > 0 ? " forward" : " back"));
  for (Node& node : nodes_) {
    if (!std::isnan(node.span_began_wall_s)) {
      end_span(node, node.seen_wall_s);
      begin_span(node, now.wall_s);
    }
    node.seen_wall_s += jump_s;
  }
}

void NodeWatch::heartbeat(std::int32_t index, const protocol::Heartbeat& beat, Moment now) {
  watch_clock(now);
  Node& node = at(index);
  // The heartbeat was repeated or overtaken by a later one. It only shows that the node lives.
  if (heard_of(node) && beat.agent_start_id == node.beat.agent_start_id && beat.number <= node.beat.number) {
    if ((node.beat.flags & protocol::leaving) != 0) return;
    if (beat.number == node.beat.number) node.beat.follows = beat.follows;
    node.seen_wall_s = now.wall_s;
    table_.heard(index, now.steady_s, true);
    return;
  }
  if (heard_of(node) && beat.boot_id != node.beat.boot_id)
    node.comeback = Comeback::rebooted;
  else if (heard_of(node) && beat.agent_start_id != node.beat.agent_start_id)
    node.comeback = std::max(node.comeback, Comeback::agent_restarted);
  // The node rebooted so quickly that it was not given up. An orderly reboot does not count: the agent had left before.
  if (!table_.has_left(index) && node.comeback == Comeback::rebooted && table_.state(index) != Liveness::down &&
      node.phase == OutagePhase::none) {
    const OutageCause judged = cause_of_silence(facts(node, true, now));
    begin_outage(node, node.seen_wall_s, judged.counted, judged.cause, now);
    end_span(node, node.seen_wall_s);
    end_outage(node, judged.counted, judged.cause, now);
    begin_span(node, now.wall_s);
    node.comeback = Comeback::as_before;
  }
  node.beat = beat;
  const NodeState kept = std::exchange(node.state, beat.state);
  node.state.name = kept.name;
  node.state.outages = kept.outages;
  node.state.observed_s = kept.observed_s;
  node.seen_wall_s = now.wall_s;
  table_.heard(index, now.steady_s);
  watch_slurmd(index, now);
  const bool leaves = (beat.flags & protocol::leaving) != 0;
  if (leaves || table_.has_left(index)) note_left(node, leaves, now);
  if (leaves) {
    log_(node.state.name + ": its agent was stopped by SIGTERM or SIGINT");
    end_span(node, now.wall_s);
    table_.left(index);
  }
}

// Detects that slurmd alone is away while the agent is well [TOFA §5], so that no job can start there. The agent sees
// this at once, slurmctld at its next ping.
void NodeWatch::watch_slurmd(std::int32_t index, Moment now) {
  Node& node = at(index);
  const bool running = (node.beat.flags & protocol::slurmd_running) != 0;
  node.slurmd_seen = node.slurmd_seen || running;
  if (running || !node.slurmd_seen)
    node.slurmd_gone_s = unknown_value;
  else if (std::isnan(node.slurmd_gone_s))
    node.slurmd_gone_s = now.steady_s;
  const bool away =
      now.steady_s - node.slurmd_gone_s >= slurmd_patience_s || now.steady_s - node.slurmd_missed_s >= slurm_patience_s;
  if (away && node.phase == OutagePhase::none && table_.state(index) == Liveness::up) {
    take(node, OutageSignal::slurmd_missed);
    const double since = std::isnan(node.slurmd_gone_s) ? node.slurmd_missed_s : node.slurmd_gone_s;
    const bool planned = node.slurm == SlurmView::planned;
    begin_outage(node, now.wall_of(since), !planned, planned ? "planned" : "slurmd", now);
  } else if (node.phase == OutagePhase::slurmd && std::isnan(node.slurmd_gone_s) && std::isnan(node.slurmd_missed_s)) {
    take(node, OutageSignal::slurmd_back);
    end_outage(node, node.outage->counted, node.outage->cause, now);
  }
}

bool NodeWatch::take_slurm_answer(std::span<const SlurmNode> says, Moment now) {
  // slurmctld runs on this host too. When it misses most nodes at once, the cause is not in the nodes.
  const auto missing = [](const SlurmNode& one) {
    return one.view == SlurmView::down || one.view == SlurmView::not_responding;
  };
  const auto most = std::ranges::count_if(says, missing);
  const bool doubted = most >= doubt_least && most > doubt_share * says.size();
  bool ask_again = false;
  for (const SlurmNode& one : says) {
    const auto found = index_.find(one.name);
    if (found == index_.end()) continue;
    Node& node = at(found->second);
    node.jobs = one.jobs;
    const bool missed = missing(one) && !doubted;
    table_.take_slurm_view(found->second, missing(one) && doubted ? SlurmView::unknown : one.view);
    node.slurm = one.view;
    if (missing(one) && doubted) node.slurm_was_well = false;
    node.slurm_missed = missed || (node.slurm_missed && node.outage.has_value());
    if (one.view != SlurmView::responding)
      node.slurm_answered_s = unknown_value;
    else if (std::isnan(node.slurm_answered_s))
      node.slurm_answered_s = now.steady_s;
    // What Slurm reports while the node is not heard refers to the time before the silence.
    node.slurm_was_well =
        node.slurm_was_well || (one.view == SlurmView::responding && table_.state(found->second) == Liveness::up);
    if (!missed)
      node.slurmd_missed_s = unknown_value;
    else if (std::isnan(node.slurmd_missed_s) && node.slurm_was_well)
      node.slurmd_missed_s = now.steady_s;
    judge_again(node, now);
    if (heard_of(node) && (missed || node.phase == OutagePhase::slurmd) &&
        table_.state(found->second) == Liveness::up) {
      watch_slurmd(found->second, now);
      ask_again = ask_again || (missed && !node.outage);
    }
  }
  return ask_again;
}

SilenceFacts NodeWatch::facts(const Node& node, bool over, Moment now) const {
  SilenceFacts facts;
  facts.over = over;
  facts.comeback = node.comeback;
  // An administrator's order after the failure of a node does not make the failure a planned one.
  facts.planned = node.outage ? node.outage->cause == "planned" : node.slurm == SlurmView::planned;
  facts.slurm_missed = node.slurm_missed;
  const double silence_began = node.outage ? now.steady_s - (now.wall_s - node.outage->began_at_s) : now.steady_s;
  facts.slurm_sees_it = now.steady_s - std::max(node.slurm_answered_s, silence_began) > slurm_answer_s;
  return facts;
}

void NodeWatch::judge_again(Node& node, Moment now) {
  if (node.phase != OutagePhase::silent || !node.first_cause.empty()) return;
  const OutageCause judged = cause_of_silence(facts(node, false, now));
  if (judged.counted == node.outage->counted && judged.cause == node.outage->cause) return;
  log_(node.state.name + ": the cause of its silence has changed: " + std::string(judged.cause) +
       (judged.counted ? "" : ", not counted"));
  recount(node, judged.counted);
  node.outage->cause = judged.cause;
  put(node);
}

void NodeWatch::begin_outage(Node& node, double began_wall_s, bool counted, std::string_view cause, Moment now) {
  if (std::isnan(began_wall_s)) began_wall_s = now.wall_s;
  node.outage = OutageRecord{node.state.name, began_wall_s, unknown_value, counted, std::string(cause), now.wall_s};
  if (node.last && one_outage(*node.last, *node.outage)) {
    go_on(node, counted, cause, now);
    return;
  }
  node.state.outages += counted;
  outages_ += counted;
  log_(node.state.name + ": outage (" + std::string(cause) + (counted ? "" : ", not counted") + "), noticed after " +
       seconds(now.wall_s - began_wall_s));
  put(node);
}

// Continues the last outage instead of beginning a second one: it was not over, or its cause has another effect now.
// Its cause and its `counted` stay, unless it was not counted and the new cause is counted.
void NodeWatch::go_on(Node& node, bool counted, std::string_view cause, Moment now) {
  node.outage = std::exchange(node.last, std::nullopt);
  node.outage->ended_at_s = unknown_value;
  if (node.outage->counted) node.first_cause = node.outage->cause;
  if (counted && !node.outage->counted) {
    recount(node, true);
    outages_ += 1;
    node.outage->cause = std::string(cause);
  }
  log_(node.state.name + ": its outage continues (" + std::string(cause) + "), " +
       seconds(now.wall_s - node.outage->began_at_s) + " after it began");
  put(node);
}

void NodeWatch::end_outage(Node& node, bool counted, std::string_view cause, Moment now) {
  if (!node.outage) return;
  const std::string first_cause = std::exchange(node.first_cause, {});
  counted = counted || !first_cause.empty();
  const std::string final_cause(first_cause.empty() ? cause : first_cause);  // a copy: `cause` may be in it
  recount(node, counted);
  node.outage->cause = final_cause;
  // A clock that was set back meanwhile may show a time before the beginning.
  node.outage->ended_at_s = std::max(now.wall_s, node.outage->began_at_s);
  log_(node.state.name + ": is back after " + seconds(node.outage->ended_at_s - node.outage->began_at_s) + " (" +
       final_cause + (counted ? ")" : ", not counted)"));
  put(node);
  set_last(node, *std::exchange(node.outage, std::nullopt));
  node.slurm_missed = false;
}

void NodeWatch::recount(Node& node, bool counted) {
  node.state.outages += (counted ? 1 : 0) - (node.outage->counted ? 1 : 0);
  node.outage->counted = counted;
}

void NodeWatch::put(Node& node) {
  history_.keep(*node.outage);
  outages_changed_ = true;
}

void NodeWatch::node_is_up(std::int32_t index, const LivenessTable::Event& event, Moment now) {
  Node& node = at(index);
  if (event.was_down || event.doubted || node.outage) {
    OutageCause judged = cause_of_silence(facts(node, true, now));
    // The node is heard for the first time since this monitor started: only the uptime shows a reboot.
    const bool of_earlier_life = node.outage && event.silent_s == 0;
    if (of_earlier_life && judged.cause != "planned")
      judged = node.beat.uptime_s < now.wall_s - node.outage->began_at_s
                   ? OutageCause{true, "reboot"}
                   : OutageCause{node.outage->counted, node.outage->cause};
    // The node was not given up while the observer was in doubt, but a reboot shows that it was away.
    if (node.phase == OutagePhase::none && event.doubted && node.comeback == Comeback::rebooted) {
      const double began = now.wall_of(event.since_s - event.silent_s);
      end_span(node, began);
      begin_outage(node, began, judged.counted, judged.cause, now);
    }
    take(node, OutageSignal::heard);
    if (node.phase == OutagePhase::none) end_outage(node, judged.counted, judged.cause, now);
  }
  node.comeback = Comeback::as_before;
  begin_span(node, now.wall_of(event.since_s));
}

void NodeWatch::node_is_down(std::int32_t index, const LivenessTable::Event& event, Moment now) {
  Node& node = at(index);
  const double began = std::isnan(node.seen_wall_s) ? now.wall_of(event.since_s) : node.seen_wall_s;
  end_span(node, began);
  node.comeback = Comeback::as_before;
  take(node, OutageSignal::lost);
  // Slurm will miss the node for a while after it is back. That is not another outage.
  node.slurm_was_well = false;
  node.slurmd_missed_s = unknown_value;
  if (node.outage) return;  // an outage before this monitor's start, or one of slurmd, still lasts
  const OutageCause judged = cause_of_silence(facts(node, false, now));
  begin_outage(node, began, judged.counted, judged.cause, now);
}

bool NodeWatch::tick(Moment now) {
  watch_clock(now);
  const std::vector<LivenessTable::Event> events = table_.tick(now.steady_s);
  for (const LivenessTable::Event& event : events)
    if (event.change == LivenessTable::Change::up)
      node_is_up(event.node, event, now);
    else
      node_is_down(event.node, event, now);
  if (table_.in_doubt() != in_doubt_) {
    in_doubt_ = table_.in_doubt();
    log_(in_doubt_ ? "most nodes stopped reporting at once: suspects this monitor or its network, not the nodes"
                   : "nodes report again: no longer suspects this monitor or its network");
  }
  by_liveness_ = {};
  for (std::int32_t i = 0; i < nodes(); ++i) ++by_liveness_[static_cast<std::size_t>(liveness(i))];
  if (now.steady_s - spans_saved_s_ >= span_save_s) {
    spans_saved_s_ = now.steady_s;
    save_spans(false);
  }
  return std::exchange(outages_changed_, false);
}

Liveness NodeWatch::liveness(std::int32_t index) const {
  const Liveness state = table_.state(index);
  return at(index).phase == OutagePhase::slurmd && state != Liveness::unknown ? Liveness::down : state;
}

std::vector<NodeState> NodeWatch::states(Moment now, double horizon_s) const {
  std::vector<NodeState> states;
  states.reserve(nodes_.size());
  std::vector<NodeObservation> observations;
  for (const Node& node : nodes_) observations.push_back(observation(node));
  const std::vector<double> probability = outage_probabilities(observations, estimator_, now.wall_s, horizon_s);
  for (std::int32_t i = 0; i < nodes(); ++i) {
    const Node& node = at(i);
    NodeState state = node.state;
    state.liveness = liveness(i);
    state.age_s = heard_of(node) ? std::max(0.0, now.wall_s - node.seen_wall_s) : unknown_value;
    state.outage_probability = probability[i];
    if (!std::isnan(node.span_began_wall_s))
      state.observed_s += std::max(0.0, node.seen_wall_s - node.span_began_wall_s);
    state.observed_s = std::min(state.observed_s, live_range::seconds.most);
    states.push_back(std::move(state));
  }
  return states;
}

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

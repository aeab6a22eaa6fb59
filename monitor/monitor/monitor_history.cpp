// SPDX-License-Identifier: GPL-2.0-or-later
// The part of the monitor that keeps the history, also while the disk does not accept writes.
#include <optional>
#include <utility>

#include "common/util/error.hpp"
#include "monitor/monitor/monitor.hpp"

namespace placement::monitor {

namespace {

constexpr double decisions_every_s = 2;
constexpr double pairs_every_s = 300;
constexpr double clock_trusted_after_s = 6 * 3600;
constexpr double prune_every_s = 3600;
constexpr std::size_t most_decisions = 256;

}  // namespace

// Judges what happened even if nothing can be written, then writes the history.
void Monitor::keep_history() {
  const Moment moment = now();
  if (watch_.tick(moment)) next_publish_s_ = moment.steady_s;
  std::optional<DecisionReader> before(decisions_);  // restored unless the decisions read here are committed
  bool saves_pairs = false;
  try {
    if (!history_.in_place()) throw DatabaseError(history_path(settings_.config) + ": it was taken away", true);
    history_.begin();
    watch_.write();
    if (moment.steady_s >= next_decisions_s_) {
      drain_decisions();
      next_decisions_s_ = moment.steady_s + decisions_every_s;
    }
    if (moment.steady_s >= next_pairs_s_) {
      next_pairs_s_ = moment.steady_s + pairs_every_s;
      save_pairs();
      saves_pairs = true;
    }
    history_.commit();
    before.reset();
    if (saves_pairs) pairs_saved_s_ = moment.steady_s;
    watch_.written();
    for (const Decision& decision : std::exchange(decisions_read_, {})) decision_counts_.add(decision);
    if (moment.steady_s >= next_prune_s_) {
      next_prune_s_ = moment.steady_s + prune_every_s;
      // A clock that may be wrong makes no row too old: with time 0 only a file that is too large loses rows.
      const bool good_clock = moment.steady_s - watch_.clock_good_since_s() > clock_trusted_after_s;
      pairs_.forget_old(moment.steady_s);
      history_.prune(good_clock ? moment.wall_s : 0);
    }
    if (!trouble_history_.empty()) log_("the history is written again, with what happened meanwhile");
    trouble_history_.clear();
  } catch (const Error& error) {
    if (before) decisions_ = *before;
    decisions_read_.clear();
    history_trouble(error);
  }
}

void Monitor::history_trouble(const Error& error) {
  history_.give_up();
  const auto* const database = dynamic_cast<const DatabaseError*>(&error);
  if (database && database->broken && recover_history()) return;
  say_once(trouble_history_, std::string("the history cannot be used: ") + error.what());
}

// Returns true when the damaged file was replaced, or when that failed and was logged.
bool Monitor::recover_history() {
  try {
    if (!history_.recover()) return false;
    pairs_saved_s_ = never_s;
    tell_moved_history();
    return true;
  } catch (const Error& error) {
    say_once(trouble_history_, std::string("the history is damaged: ") + error.what());
    return true;
  }
}

void Monitor::tell_moved_history() {
  if (history_.moved_aside() == "gone")
    log_(history_path(settings_.config) + " is gone: a new one begins");
  else if (!history_.moved_aside().empty())
    log_(history_path(settings_.config) + " was damaged: it is now " + history_.moved_aside() + ", and a new one begins");
}

void Monitor::drain_decisions() {
  std::vector<Decision> decisions;
  try {
    decisions = decisions_.read(most_decisions);
    say_once(trouble_decisions_, "");
  } catch (const Error& error) {
    say_once(trouble_decisions_, error.what());
    return;
  }
  if (decisions.empty()) return;
  for (const Decision& decision : decisions)
    history_.put_decision({0, decision.at_s, decision.job_id, decision.restarts, decision.uid, decision.policy,
                           std::string(decision_outcome_names[static_cast<std::size_t>(decision.outcome)]),
                           decision.time_us, decision_text(decision)});
  const RingCursor cursor = decisions_.cursor();
  history_.set_setting("ring", std::to_string(cursor.ring) + " " + std::to_string(cursor.next));
  decisions_read_ = std::move(decisions);
}

void Monitor::save_pairs() {
  const Moment moment = now();
  for (const PairModel::Pair& pair : pairs_.measured_since(pairs_saved_s_))
    history_.put_pair({names_[static_cast<std::size_t>(pair.a)], names_[static_cast<std::size_t>(pair.b)],
                       moment.wall_of(pair.newest_s()), pair.latency_us.value(), pair.latency_us.error(),
                       pair.bandwidth_Bps.value(), pair.bandwidth_Bps.error(), pair.peak_bandwidth_Bps,
                       pair.latency_us.count() + pair.bandwidth_Bps.count()});
}

// Writes everything before the process ends.
void Monitor::save_history() {
  watch_.save(now());
  try {
    history_.begin();
    watch_.write();
    save_pairs();
    drain_decisions();
    history_.commit();
  } catch (const Error& error) {
    log_(std::string("the history cannot be written: ") + error.what());
  }
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/history_keeper.hpp"

#include <cstdio>
#include <utility>

#include "common/decision/decision.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::monitor {

constexpr double ring_every_s = 2;
constexpr double clock_trusted_after_s = 6 * 3600;
constexpr double first_prune_s = 60;
constexpr double prune_every_s = 3600;
constexpr std::size_t most_decisions = 256;

static HistoryLimits limits_of(const Config& config) {
  return {.keep_s = static_cast<double>(config.history_days) * 86400};
}

// The history's setting with the position up to which the ring was read.
constexpr char ring_setting[] = "ring";

static RingCursor ring_cursor(History& history) {
  RingCursor cursor;
  unsigned long long ring = 0, next = 0;
  if (std::sscanf(history.setting(ring_setting).c_str(), "%llu %llu", &ring, &next) == 2) cursor = {ring, next};
  return cursor;
}

HistoryKeeper::HistoryKeeper(const Config& config, std::vector<uid_t> decision_owners, Log log)
    : path_(config.state_directory + "/history.sqlite"),
      log_(std::move(log)),
      history_(path_, limits_of(config)),
      ring_(config.decision_file, ring_cursor(history_), std::move(decision_owners)),
      next_prune_s_(protocol::steady_s() + first_prune_s),
      trouble_(log_),
      ring_trouble_(log_) {
  log_moved_file();
}

void HistoryKeeper::keep(const NodeWatch& watch, Moment now) {
  const bool reads_ring = now.steady_s >= next_ring_s_;
  try {
    if (!history_.in_place()) throw DatabaseError(path_ + ": the file was removed", true);
    if (reads_ring) {
      read_ring();
      next_ring_s_ = uncommitted_.size() == most_decisions ? now.steady_s : now.steady_s + ring_every_s;
    }
    history_.commit();
    for (const Decision& decision : std::exchange(uncommitted_, {})) counts_.add(decision);
    if (now.steady_s >= next_prune_s_) {
      next_prune_s_ = now.steady_s + prune_every_s;
      // If the clock may be wrong, no row counts as too old. With time 0, only a file that is too large loses rows.
      const bool good_clock = now.steady_s - watch.clock_good_since_s() > clock_trusted_after_s;
      history_.prune(good_clock ? now.wall_s : 0);
    }
    // While the trouble lasts, each reading of the ring writes its position, so this transaction wrote something. Other
    // transactions may write nothing, or fit into the last free bytes of a disk, so their success proves nothing.
    if (trouble_.lasts() && reads_ring) {
      log_("writes the history again, including the events since the failure");
      trouble_.say("");
    }
  } catch (const Error& error) {
    handle(error);
  }
}

void HistoryKeeper::handle(const Error& error) {
  const auto* const database = dynamic_cast<const DatabaseError*>(&error);
  try {
    if (database && database->broken && history_.recover()) return log_moved_file();
    trouble_.say(std::string("the history cannot be used: ") + error.what());
  } catch (const Error& again) {
    trouble_.say(std::string("the history is damaged: ") + again.what());
  }
}

void HistoryKeeper::log_moved_file() {
  if (history_.moved_aside() == "gone")
    log_(path_ + " is gone: starts a new history");
  else if (!history_.moved_aside().empty())
    log_(path_ + " was damaged: moved it to " + history_.moved_aside() + " and starts a new history");
}

// Gives new decisions of the ring to the history, once the last ones are committed. Predictions stay in the ring alone,
// because only "placectl predict" reads them, and a flood of them would displace decisions about jobs. Logs an
// unreadable ring.
void HistoryKeeper::read_ring() {
  if (!uncommitted_.empty()) return;
  try {
    uncommitted_ = ring_.read(most_decisions);
    ring_trouble_.say("");
  } catch (const Error& error) {
    ring_trouble_.say(error.what());
    return;
  }
  if (uncommitted_.empty() && !trouble_.lasts()) return;
  for (const Decision& decision : uncommitted_)
    if (!decision.predicted)
      history_.keep(DecisionRow{decision.at_s, decision.job_id, decision.uid, decision_text(decision)});
  const RingCursor cursor = ring_.cursor();
  history_.keep_setting(ring_setting, std::to_string(cursor.ring) + " " + std::to_string(cursor.next));
}

void HistoryKeeper::save(NodeWatch& watch, Moment now) {
  watch.save_spans(true);
  next_ring_s_ = now.steady_s;
  keep(watch, now);
}

}  // namespace placement::monitor

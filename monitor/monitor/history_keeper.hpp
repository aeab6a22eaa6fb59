// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "common/decision/decision_ring.hpp"
#include "common/policy/config.hpp"
#include "common/util/error.hpp"
#include "monitor/monitor/decision_counts.hpp"
#include "monitor/monitor/history.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/trouble_log.hpp"

namespace placement::monitor {

// Keeps the history on disk: outages and times of observation, and the decisions of slurmctld's ring. A record
// that cannot be written, because the disk is full or the file is damaged, is kept in memory and written later.
class HistoryKeeper {
 public:
  // Opens the history in StateDirectory, and logs whether a new one was begun. The ring is read from where the history
  // ends; `decision_owners` is that of MonitorSettings. Throws Error when the history cannot be opened.
  HistoryKeeper(const Config& config, std::vector<uid_t> decision_owners, Log log);

  History& history() { return history_; }
  // Writes the new records of the watch. Every few seconds it also reads the ring, and every hour it deletes old
  // records. Never throws Error; it logs errors.
  void keep(const NodeWatch& watch, Moment now);
  // Writes everything before the process ends.
  void save(NodeWatch& watch, Moment now);

  // Returns whether the history could not be written the last time.
  bool in_trouble() const { return trouble_.lasts(); }
  // Returns the numbers of decisions that were written since the start.
  const DecisionCounts& decisions() const { return counts_; }
  std::uint64_t decisions_lost() const { return ring_.overrun(); }  // overwritten before they were read

 private:
  void handle(const Error& error);
  void log_moved_file();
  void read_ring();

  std::string path_;
  Log log_;
  History history_;
  DecisionReader ring_;
  std::vector<Decision> uncommitted_;  // decisions that the history keeps, and has not committed yet
  DecisionCounts counts_;
  double next_ring_s_ = 0, next_prune_s_;
  TroubleLog trouble_, ring_trouble_;
};

}  // namespace placement::monitor

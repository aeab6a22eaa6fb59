// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/pair_model.hpp"
#include "monitor/monitor/trouble_log.hpp"

namespace placement::monitor {

inline constexpr double publish_every_s = 5;

// Writes the snapshot, the file in which slurmctld and placectl read what the monitor knows.
class SnapshotPublisher {
 public:
  // `outage_horizon_s` is the time for which the snapshot has the outage probabilities.
  SnapshotPublisher(std::string path, double outage_horizon_s, Log log);

  // Writes the state of the nodes and the table of the pairs. The table is computed again only after a multiple of the
  // time that the last computation took. `is_leader` says whether this monitor is the leader. Another monitor also
  // writes the snapshot, for the slurmctld on its own host, unless another process writes this file. With `only_for`
  // only this user may read the file. Never throws Error; it logs errors.
  void publish(const NodeWatch& watch, const PairModel& pairs, bool is_leader, std::optional<uid_t> only_for,
               Moment now);

  std::int64_t written() const { return count_; }  // number of snapshots written since the start
  // Returns whether the snapshot could not be written the last time. If another monitor writes it, this is false.
  bool in_trouble() const { return trouble_.lasts(); }

 private:
  bool may_write(bool is_leader, Moment now) const;

  std::string path_;
  double outage_horizon_s_;
  PairTable table_;
  double table_s_ = -1e9, table_cost_s_ = 0;  // when the table was computed, and how long that took
  FileIdentity own_file_;
  std::int64_t count_ = 0;
  TroubleLog trouble_;
};

}  // namespace placement::monitor

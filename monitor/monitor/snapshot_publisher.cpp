// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/snapshot_publisher.hpp"

#include <sys/stat.h>

#include <utility>

#include "common/state/snapshot.hpp"
#include "common/util/error.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::monitor {

constexpr double table_share = 0.02;  // largest share of the time that is spent on the table of pairs

SnapshotPublisher::SnapshotPublisher(std::string path, double outage_horizon_s, Log log)
    : path_(std::move(path)),
      outage_horizon_s_(outage_horizon_s),
      trouble_(std::move(log)) {}

bool SnapshotPublisher::may_write(bool is_leader, Moment now) const {
  if (is_leader) return true;
  struct stat status;
  if (stat(path_.c_str(), &status) != 0) return true;
  if (identity_of(path_).same_file(own_file_)) return true;
  const double age_s = now.wall_s - static_cast<double>(status.st_mtime);
  return age_s > 2.5 * publish_every_s || age_s < -publish_every_s;
}

void SnapshotPublisher::publish(const NodeWatch& watch, const PairModel& pairs, bool is_leader,
                                std::optional<uid_t> only_for, Moment now) {
  if (!may_write(is_leader, now)) return trouble_.say("");
  LiveState state;
  state.published_at_s = static_cast<std::int64_t>(now.wall_s);
  state.outage_horizon_s = outage_horizon_s_;
  state.nodes = watch.states(now, state.outage_horizon_s);
  if (now.steady_s - table_s_ >= table_cost_s_ / table_share) {
    const double began_s = protocol::steady_s();
    table_ = pairs.table(now.steady_s);
    table_s_ = now.steady_s;
    table_cost_s_ = protocol::steady_s() - began_s;
  }
  state.pairs = table_;
  try {
    write_snapshot(path_, state, only_for);
    own_file_ = identity_of(path_);
    ++count_;
    trouble_.say("");
  } catch (const Error& error) {
    trouble_.say(std::string("the snapshot cannot be written: ") + error.what());
  }
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/util/file_descriptor.hpp"
#include "monitor/monitor/database.hpp"

namespace placement::monitor {

// The data that a monitor keeps on disk, in a SQLite file. It has the tables outage, span (times in which a node was up
// and the observer sound), decision and setting. Times are seconds since 1970. The write-ahead log keeps readers from
// delaying the writer. A writer that is killed loses at most the current transaction. A file with a schema above
// history_schema_version (PRAGMA user_version) is refused. A damaged file is moved aside, and a new one is created.

inline constexpr int history_schema_version = 1;

struct OutageRecord {
  std::string node;
  double began_at_s = 0;              // the last heartbeat before the outage
  double ended_at_s = unknown_value;  // NaN: the outage lasts
  bool counted = true;                // an unplanned outage, which the estimates use
  std::string cause;                  // OutageCause::cause, or "slurmd" if only slurmd was away
  double noticed_at_s = unknown_value;

  bool lasts() const { return ended_at_s != ended_at_s; }
};

inline constexpr double same_outage_s = 60;
// Returns whether two records of one node belong to one outage. One outage can cause two records: slurmctld also misses
// the slurmd of a node that is cut off, and a slurmd can start late after a reboot. Two records are one outage if they
// overlap, or start within same_outage_s of each other. They are also one if the later one has the cause slurmd and
// starts within same_outage_s after the end of the other.
bool one_outage(const OutageRecord& a, const OutageRecord& b);

struct SpanRecord {
  std::string node;
  double began_at_s = 0;
  double ended_at_s = 0;
};

// A decision of slurmctld, with its text `record`.
struct DecisionRow {
  double at_s = 0;
  std::int64_t job = 0, uid = 0;
  std::string record;
};

struct HistoryLimits {
  double keep_s = 400.0 * 86400;         // outages, spans and decisions that are older are deleted
  std::int64_t max_bytes = 256LL << 20;  // above this the oldest decisions are deleted, then spans, then outages
};

// The history of one monitor. The functions that read or write it throw Error when the file cannot be used.
class History {
 public:
  // Opens the file, or creates it with mode 0640. A damaged file is moved aside first. Throws Error.
  History(std::string path, const HistoryLimits& limits);

  // Returns the path to which a damaged file was moved when the history was opened. It is empty if the file was sound
  // or did not exist, and "gone" if the file was removed while it was open.
  const std::string& moved_aside() const { return moved_aside_; }

  // Returns whether the file at the path is still the one that is open, and was not removed or replaced.
  bool in_place() const { return identity_of(path_).same_file(file_); }
  // Handles a file that turned out to be damaged: moves it aside and begins a new one. Returns false if the file is
  // sound. The latest writes may be lost. Throws Error when no file can be opened.
  bool recover();

  // Keeps a record until a commit() has written it. The record replaces a kept or stored one with the same node and
  // start time. At most most_spans spans are kept. Further spans, and spans of length 0, are dropped.
  void keep(const OutageRecord& outage) { kept_outages_[{outage.node, outage.began_at_s}] = outage; }
  void keep(const SpanRecord& span);
  void keep(DecisionRow decision) { kept_decisions_.push_back(std::move(decision)); }
  // Keeps a value for setting(). An empty value deletes the setting.
  void keep_setting(const std::string& name, const std::string& value) { kept_settings_[name] = value; }
  static constexpr std::size_t most_spans = 200000;
  // Returns the number of kept outages, spans and settings.
  std::size_t kept() const { return kept_outages_.size() + kept_spans_.size() + kept_settings_.size(); }

  // Writes all that is kept, in one transaction. If this fails, everything is still kept for the next commit().
  void commit();

  std::vector<OutageRecord> outages();  // ordered by beginning
  std::vector<SpanRecord> spans();      // ordered by beginning

  // Returns the stored value `name`; empty if there is none. "ring" is the position up to which the ring of decisions
  // was read. "left X" is the time when the agent of node X was stopped, until it is back.
  std::string setting(const std::string& name);

  // Deletes rows that are older than the limits at the time `now_s`, and the oldest rows of a file that is too large.
  void prune(double now_s);
  // Returns how many bytes of the file are in use.
  std::int64_t bytes();

 private:
  bool start();
  void open();
  Database& database();

  std::string path_;
  HistoryLimits limits_;
  std::string moved_aside_;
  std::unique_ptr<Database> database_;
  FileIdentity file_;                          // the open file
  using Key = std::pair<std::string, double>;  // node and start time
  std::map<Key, OutageRecord> kept_outages_;
  std::map<Key, SpanRecord> kept_spans_;
  std::vector<DecisionRow> kept_decisions_;
  std::map<std::string, std::string> kept_settings_;
};

}  // namespace placement::monitor

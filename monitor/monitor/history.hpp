// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/state/live_state.hpp"
#include "monitor/monitor/database.hpp"

namespace placement {

// What a monitor keeps on disk: a file of SQLite in write-ahead mode, so that readers (placectl) never
// hold the writer up, and a writer that is killed loses at most the transaction under way. Times are
// seconds since 1970. PRAGMA user_version is the schema's version, history_schema_version; a file of a
// newer version is refused, one that is damaged or no such database is moved aside and a new one begun.
//
//   node     (id, name)                       each name that was ever heard of
//   outage   (id, node, began_at, ended_at, counted, cause, noticed_at, changed)
//            ended_at NULL: it lasts. began_at is the last heartbeat before it, noticed_at the moment
//            at which the monitor was sure. counted 1: unplanned, which is what estimates go by.
//            cause: silent, reboot, link, slurmd, agent, planned, stopped (see cause.hpp)
//   span     (id, node, began_at, ended_at, changed)
//            a time during which the node was observed (up, and the observer sound); they do not overlap
//   pair     (a, b, measured_at, latency_us, latency_error_us, bandwidth_Bps, bandwidth_error_Bps,
//             peak_bandwidth_Bps, samples)    a < b by name order; the forecast at the last summary
//   decision (id, at, job, restarts, uid, policy, outcome, us, record)
//            one per choice of slurmctld. record: all of it, as decision_ring has it
//   setting  (name, value)                    instance: a random name of this file, and see setting()
//
// changed counts up with each change of the row; a peer asks for what is above the last it has seen.

inline constexpr int history_schema_version = 1;

struct OutageRecord {
  std::string node;
  double began_at_s = 0;
  double ended_at_s = unknown_value;  // NaN: it lasts
  bool counted = true;
  std::string cause;
  double noticed_at_s = unknown_value;

  bool lasts() const { return ended_at_s != ended_at_s; }
};

// One physical event can show twice, as when slurmctld misses a slurmd whose node was cut off, or a slurmd takes its
// time after a reboot. Outages of one node are one when they overlap, when they begin within same_outage_s of each other,
// or when the later one is slurmd's and begins within same_outage_s after the end of the other.
inline constexpr double same_outage_s = 60;
bool one_outage(const OutageRecord& a, const OutageRecord& b);

struct SpanRecord {
  std::string node;
  double began_at_s = 0;
  double ended_at_s = 0;
};

struct PairRecord {
  std::string a, b;
  double measured_at_s = 0;
  double latency_us = unknown_value;
  double latency_error_us = unknown_value;
  double bandwidth_Bps = unknown_value;
  double bandwidth_error_Bps = unknown_value;
  double peak_bandwidth_Bps = unknown_value;
  std::int64_t samples = 0;
};

struct DecisionRecord {
  std::int64_t id = 0;       // given by the history, counting up
  double at_s = 0;
  std::int64_t job = 0;
  std::int64_t restarts = 0;
  std::int64_t uid = -1;
  std::string policy;
  std::string outcome;       // a word: "nodes+cores", "stock", ...
  std::int64_t us = 0;       // time taken
  std::string record;
};

struct HistoryLimits {
  double keep_s = 400.0 * 86400;          // outages, spans, pairs and decisions older than this go
  std::int64_t max_bytes = 256LL << 20;   // then the oldest decisions go first, then the oldest spans
};

class History {
 public:
  // Opens or makes the file, mode 0644 for a new one: placectl reads it as any user. Throws Error when that is not possible.
  History(const std::string& path, const HistoryLimits& limits);

  // Where a broken file was moved to when this one was opened; empty: it was sound, or none was there; "gone": it was taken
  // away while it was open.
  const std::string& moved_aside() const { return moved_aside_; }
  const std::string& instance() const { return instance_; }

  // The file of that name is the one that is open: nobody has taken it away or put another in its place.
  bool in_place() const;
  // The file is found damaged while it is used: moves it aside and begins a new one, as opening does. False: it is sound.
  // What was written lately may be lost. Throws Error when that is not possible.
  bool recover();

  // What follows is one transaction, until it is committed or given up. Without one each call is one.
  void begin();
  void commit();
  void give_up();

  // Writes an outage. All on record of the same node that are one_outage() with it become one row with it: the
  // earliest beginning and the latest end stay, and what was judged of it is replaced unless keep_judgement (for what
  // another monitor saw). Returns true when that changed anything.
  bool put_outage(const OutageRecord& outage, bool keep_judgement = false);
  // Writes a time of observation; those of the node that it touches become one with it.
  bool put_span(const SpanRecord& span);
  void put_pair(const PairRecord& pair);
  void put_decision(const DecisionRecord& decision);

  std::vector<OutageRecord> outages();                       // by beginning
  std::vector<OutageRecord> lasting_outages();
  std::int64_t counted_outages(const std::string& node, double began_after_s = -1e300);  // that began then or later
  std::vector<SpanRecord> spans();                           // by beginning
  std::vector<PairRecord> pairs();
  // The latest first, at most `most`; job 0: of all jobs.
  std::vector<DecisionRecord> decisions(std::int64_t job, std::int64_t most);

  // What changed after the cursor, in the order of `changed`, at most `most` rows each; cursor becomes
  // that of the last row given.
  struct Changes {
    std::vector<OutageRecord> outages;
    std::vector<SpanRecord> spans;
    std::int64_t cursor = 0;
  };
  Changes changes_after(std::int64_t cursor, std::int64_t most);
  std::int64_t last_change();

  // Small things to be remembered, by name; empty: nothing. "peer X": how far the history of instance X
  // was taken over; "ring": how far the ring of decisions was read.
  std::string setting(const std::string& name);
  void set_setting(const std::string& name, const std::string& value);

  // Drops what is too old or too much; now_s is the present.
  void prune(double now_s);
  std::int64_t bytes();

 private:
  void open(const std::string& path);
  void prepare(const std::string& path);
  Database& database();
  std::int64_t node_id(const std::string& name);
  std::int64_t next_change();

  std::string path_;
  HistoryLimits limits_;
  std::string moved_aside_;
  std::string instance_;
  std::unique_ptr<Database> database_;
  std::uint64_t device_ = 0, inode_ = 0;  // of the file that is open
  std::unique_ptr<Transaction> batch_;
  std::map<std::string, std::unique_ptr<Statement>> statements_;
  std::unordered_map<std::string, std::int64_t> node_ids_;
  std::int64_t change_ = 0;

  Statement& statement(const char* sql);
};

}  // namespace placement

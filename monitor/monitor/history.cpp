// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/history.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/input_file.hpp"

namespace placement::monitor {

namespace {

constexpr int wait_ms = 2000;  // longest time to wait for another process that locks the file

// The mode does not depend on the daemon's umask. A user who may open the file may lock it, and a reader's lock keeps
// the monitor from writing. So only the monitor's user and its group may open it.
constexpr mode_t file_mode = 0640;

constexpr const char* schema = R"(
  CREATE TABLE outage (node TEXT NOT NULL, began_at REAL NOT NULL, ended_at REAL, counted INTEGER NOT NULL,
    cause TEXT NOT NULL, noticed_at REAL, PRIMARY KEY (node, began_at));
  CREATE TABLE span (node TEXT NOT NULL, began_at REAL NOT NULL, ended_at REAL NOT NULL, PRIMARY KEY (node, began_at));
  CREATE TABLE decision (id INTEGER PRIMARY KEY, at REAL NOT NULL, job INTEGER NOT NULL, uid INTEGER NOT NULL,
    record TEXT NOT NULL);
  CREATE INDEX decision_job ON decision (job);
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)";

void set_modes(Database& database) {
  // In this mode readers need the two files of the write-ahead log even if no process writes.
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = NORMAL");
  database.run("PRAGMA wal_autocheckpoint = 500");
  database.run("PRAGMA journal_size_limit = 8388608");
  database.run("PRAGMA temp_store = MEMORY");
}

// Makes an empty file that only its owner can write and only its group can read. Throws Error.
void make(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, file_mode));
  if (file < 0) fail_errno(path, "cannot be created");
  fchmod(file, file_mode);
}

// Sets the modes of existing files. This fails for another user's file, as opening it will.
void restrict_modes(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm"}) static_cast<void>(chmod((path + part).c_str(), file_mode));
}

// Returns whether the content of the file can be used. Throws DatabaseError if it cannot be read.
bool is_sound(const std::string& path) {
  try {
    Database database(path, Database::Access::write, wait_ms);
    if (database.text("PRAGMA quick_check(1)") != "ok") return false;
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version == 0) return database.number("SELECT count(*) FROM sqlite_master") == 0;
    return version > history_schema_version ||
           database.number(
               "SELECT sum(CASE WHEN name IN ('outage', 'span', 'decision', 'setting') THEN 1 ELSE -1 END) "
               "FROM sqlite_master WHERE type = 'table'") == 4;
  } catch (const DatabaseError& error) {
    if (!error.broken) throw;
    return false;
  }
}

// Moves a damaged file, and the files that SQLite keeps next to it, to an unused name. Returns the name. Throws Error.
std::string move_aside(const std::string& path) {
  std::string to;
  struct stat exists;
  for (int i = 1; i == 1 || stat(to.c_str(), &exists) == 0; ++i) to = path + ".broken-" + std::to_string(i);
  if (rename(path.c_str(), to.c_str()) != 0)
    throw Error(path + ": is damaged, and cannot be moved to " + to + ": " + std::strerror(errno));
  for (const char* part : {"-wal", "-shm", "-journal"})
    if (may_exist(path + part)) rename((path + part).c_str(), (to + part).c_str());
  return to;
}

}  // namespace

History::History(std::string path, const HistoryLimits& limits) : path_(std::move(path)), limits_(limits) { start(); }

// Opens the file. If it is missing or damaged, begins a new one and returns true.
bool History::start() {
  database_.reset();
  const bool missing = !may_exist(path_), damaged = !missing && !is_sound(path_);
  if (damaged) moved_aside_ = move_aside(path_);
  if (missing || damaged) make(path_);
  open();
  return missing || damaged;
}

void History::open() {
  restrict_modes(path_);
  auto database = std::make_unique<Database>(path_, Database::Access::write, wait_ms);
  file_ = identity_of(path_);
  set_modes(*database);
  const std::int64_t version = database->number("PRAGMA user_version");
  if (version > history_schema_version)
    throw Error(path_ + ": has schema version " + std::to_string(version) +
                ", but this program supports versions up to " + std::to_string(history_schema_version));
  if (version == 0) {
    Transaction all(*database);
    database->run(schema);
    database->run(("PRAGMA user_version = " + std::to_string(history_schema_version)).c_str());
    all.commit();
  }
  database_ = std::move(database);
}

// Returns the open database; opens it again if a failure closed it. Throws Error.
Database& History::database() {
  if (!database_) open();
  return *database_;
}

bool History::recover() {
  const bool gone = !may_exist(path_), fresh = start();
  if (gone) moved_aside_ = "gone";
  return fresh;
}

void History::keep(const SpanRecord& span) {
  const Key key{span.node, span.began_at_s};
  if (span.ended_at_s > span.began_at_s && (kept_spans_.size() < most_spans || kept_spans_.contains(key)))
    kept_spans_[key] = span;
}

void History::commit() {
  Transaction all(database());
  for (const auto& [key, outage] : kept_outages_)
    Statement(database(), "INSERT OR REPLACE INTO outage VALUES (?, ?, ?, ?, ?, ?)")
        .bind(outage.node, outage.began_at_s, outage.ended_at_s, outage.counted, outage.cause, outage.noticed_at_s)
        .execute();
  for (const auto& [key, span] : kept_spans_)
    Statement(database(), "INSERT OR REPLACE INTO span VALUES (?, ?, ?)")
        .bind(span.node, span.began_at_s, span.ended_at_s)
        .execute();
  for (const DecisionRow& row : kept_decisions_)
    Statement(database(), "INSERT INTO decision (at, job, uid, record) VALUES (?, ?, ?, ?)")
        .bind(row.at_s, row.job, row.uid, row.record)
        .execute();
  for (const auto& [name, value] : kept_settings_)
    if (value.empty())
      Statement(database(), "DELETE FROM setting WHERE name = ?").bind(name).execute();
    else
      Statement(database(), "INSERT OR REPLACE INTO setting VALUES (?, ?)").bind(name, value).execute();
  all.commit();
  kept_outages_.clear();
  kept_spans_.clear();
  kept_decisions_.clear();
  kept_settings_.clear();
}

bool one_outage(const OutageRecord& a, const OutageRecord& b) {
  const OutageRecord &first = b.began_at_s < a.began_at_s ? b : a, &second = b.began_at_s < a.began_at_s ? a : b;
  if (second.began_at_s - first.began_at_s <= same_outage_s || first.lasts()) return true;
  return second.began_at_s <= first.ended_at_s + (second.cause == "slurmd" ? same_outage_s : 0);
}

std::vector<OutageRecord> History::outages() {
  std::vector<OutageRecord> all;
  for (Statement rows(database(), "SELECT * FROM outage ORDER BY began_at, node"); rows.step();)
    all.push_back({rows.text(0), rows.real(1), rows.real(2), rows.integer(3) != 0, rows.text(4), rows.real(5)});
  return all;
}

std::vector<SpanRecord> History::spans() {
  std::vector<SpanRecord> all;
  for (Statement rows(database(), "SELECT * FROM span ORDER BY began_at, node"); rows.step();)
    all.push_back({rows.text(0), rows.real(1), rows.real(2)});
  return all;
}

std::string History::setting(const std::string& name) {
  Statement find(database(), "SELECT value FROM setting WHERE name = ?");
  return find.bind(name).step() ? find.text(0) : std::string();
}

std::int64_t History::bytes() {
  return database().number("PRAGMA page_size") *
         (database().number("PRAGMA page_count") - database().number("PRAGMA freelist_count"));
}

void History::prune(double now_s) {
  const double oldest = now_s - limits_.keep_s;
  Statement(database(), "DELETE FROM outage WHERE ended_at < ?").bind(oldest).execute();
  Statement(database(), "DELETE FROM span WHERE ended_at < ?").bind(oldest).execute();
  Statement(database(), "DELETE FROM decision WHERE at < ?").bind(oldest).execute();
  // A span that still lasts may have begun long ago. So its age counts from its end.
  for (const auto& [table, age] :
       {std::pair{"decision", "id"}, {"span", "ended_at"}, {"outage", "ended_at IS NULL, ended_at"}}) {
    const std::string some = std::string("DELETE FROM ") + table + " WHERE rowid IN (SELECT rowid FROM " + table +
                             " ORDER BY " + age + " LIMIT 1 + (SELECT count(*) FROM " + table + ") / 8)";
    while (bytes() > limits_.max_bytes &&
           database().number((std::string("SELECT EXISTS (SELECT 1 FROM ") + table + ")").c_str()) != 0)
      Statement(database(), some.c_str()).execute();
  }
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/history.hpp"

#include <sys/stat.h>

#include <utility>

#include "common/util/error.hpp"
#include "monitor/monitor/history_file.hpp"

namespace placement::monitor {

namespace {

constexpr const char* count_of_changes = "SELECT total_changes()";

constexpr const char* schema = R"(
  CREATE TABLE node (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE outage (node INTEGER NOT NULL REFERENCES node (id), began_at REAL NOT NULL, ended_at REAL,
    counted INTEGER NOT NULL, cause TEXT NOT NULL, noticed_at REAL, PRIMARY KEY (node, began_at));
  CREATE TABLE span (node INTEGER NOT NULL REFERENCES node (id), began_at REAL NOT NULL, ended_at REAL NOT NULL,
    PRIMARY KEY (node, began_at));
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

}  // namespace

History::History(const std::string& path, const HistoryLimits& limits) : path_(path), limits_(limits) {
  if (history_file::exists(path) && !history_file::is_sound(path)) moved_aside_ = history_file::move_aside(path);
  if (!history_file::exists(path)) history_file::make(path);
  open(path);
}

void History::open(const std::string& path) {
  history_file::restrict_modes(path);
  database_ = std::make_unique<Database>(path, Database::Access::write, history_wait_ms);
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  try {
    prepare(path);
  } catch (...) {
    database_.reset();
    throw;
  }
}

void History::prepare(const std::string& path) {
  set_modes(*database_);
  const std::int64_t version = database_->number("PRAGMA user_version");
  if (version > history_schema_version)
    throw Error(path + ": its schema is version " + std::to_string(version) + ", and this program knows up to " +
                std::to_string(history_schema_version));
  if (version == 0) {
    Transaction all(*database_);
    database_->run(schema);
    database_->run(("PRAGMA user_version = " + std::to_string(history_schema_version)).c_str());
    all.commit();
  }
}

// Returns the open database; opens it again if a failure closed it. Throws Error.
Database& History::database() {
  if (!database_) open(path_);
  return *database_;
}

bool History::in_place() const {
  struct stat status {};
  return stat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool History::recover() {
  batch_.reset();
  statements_.clear();
  node_ids_.clear();
  database_.reset();
  const bool damaged = !history_file::exists(path_) || !history_file::is_sound(path_);
  if (damaged) {
    moved_aside_ = history_file::exists(path_) ? history_file::move_aside(path_) : std::string("gone");
    history_file::make(path_);
  }
  open(path_);
  return damaged;
}

Statement& History::statement(const char* sql) {
  std::unique_ptr<Statement>& kept = statements_[sql];
  if (!kept) kept = std::make_unique<Statement>(database(), sql);
  return *kept;
}

void History::begin() {
  batch_ = std::make_unique<Transaction>(database());
  changes_ = database().number(count_of_changes);
}

bool History::commit() {
  if (!batch_) return false;
  const bool changed = database().number(count_of_changes) != changes_;
  try {
    batch_->commit();
  } catch (...) {
    give_up();
    throw;
  }
  batch_.reset();
  return changed;
}

void History::give_up() {
  for (auto& [sql, kept] : statements_) kept->bind();  // an unfinished read would keep the transaction open
  batch_.reset();
  node_ids_.clear();  // the insertion of a new name may have been undone
}

std::int64_t History::node_id(const std::string& name) {
  if (const auto known = node_ids_.find(name); known != node_ids_.end()) return known->second;
  statement("INSERT OR IGNORE INTO node (name) VALUES (?)").bind(name).execute();
  Statement& find = statement("SELECT id FROM node WHERE name = ?").bind(name);
  find.step();
  const std::int64_t id = find.integer(0);
  find.bind(std::string());
  node_ids_.emplace(name, id);
  return id;
}

bool one_outage(const OutageRecord& a, const OutageRecord& b) {
  const OutageRecord &first = b.began_at_s < a.began_at_s ? b : a, &second = b.began_at_s < a.began_at_s ? a : b;
  if (second.began_at_s - first.began_at_s <= same_outage_s || first.lasts()) return true;
  return second.began_at_s <= first.ended_at_s + (second.cause == "slurmd" ? same_outage_s : 0);
}

void History::put_outage(const OutageRecord& outage) {
  statement("INSERT OR REPLACE INTO outage VALUES (?, ?, ?, ?, ?, ?)")
      .bind(node_id(outage.node), outage.began_at_s, outage.ended_at_s, outage.counted, outage.cause,
            outage.noticed_at_s)
      .execute();
}

void History::put_span(const SpanRecord& span) {
  if (!(span.ended_at_s > span.began_at_s)) return;
  statement("INSERT OR REPLACE INTO span VALUES (?, ?, ?)")
      .bind(node_id(span.node), span.began_at_s, span.ended_at_s)
      .execute();
}

void History::put_decision(double at_s, std::int64_t job, std::int64_t uid, const std::string& record) {
  statement("INSERT INTO decision (at, job, uid, record) VALUES (?, ?, ?, ?)").bind(at_s, job, uid, record).execute();
}

std::vector<OutageRecord> History::outages() {
  std::vector<OutageRecord> all;
  Statement& rows = statement(
      "SELECT name, began_at, ended_at, counted, cause, noticed_at FROM outage JOIN node ON node.id = outage.node "
      "ORDER BY began_at, name");
  for (rows.bind(); rows.step();)
    all.push_back({rows.text(0), rows.real(1), rows.real(2), rows.integer(3) != 0, rows.text(4), rows.real(5)});
  return all;
}

std::vector<SpanRecord> History::spans() {
  std::vector<SpanRecord> all;
  Statement& rows =
      statement("SELECT name, began_at, ended_at FROM span JOIN node ON node.id = span.node ORDER BY began_at, name");
  for (rows.bind(); rows.step();) all.push_back({rows.text(0), rows.real(1), rows.real(2)});
  return all;
}

std::string History::setting(const std::string& name) {
  Statement& find = statement("SELECT value FROM setting WHERE name = ?").bind(name);
  std::string value = find.step() ? find.text(0) : std::string();
  find.bind(std::string());
  return value;
}

void History::set_setting(const std::string& name, const std::string& value) {
  if (value.empty()) return statement("DELETE FROM setting WHERE name = ?").bind(name).execute();
  statement("INSERT OR REPLACE INTO setting VALUES (?, ?)").bind(name, value).execute();
}

std::int64_t History::bytes() {
  return database().number("PRAGMA page_size") *
         (database().number("PRAGMA page_count") - database().number("PRAGMA freelist_count"));
}

void History::prune(double now_s) {
  const double oldest = now_s - limits_.keep_s;
  begin();
  statement("DELETE FROM outage WHERE ended_at < ?").bind(oldest).execute();
  statement("DELETE FROM span WHERE ended_at < ?").bind(oldest).execute();
  statement("DELETE FROM decision WHERE at < ?").bind(oldest).execute();
  commit();
  // The row of a time that goes on was begun long ago and grows, so the end says how old it is.
  for (const auto& [table, age] :
       {std::pair{"decision", "id"}, {"span", "ended_at"}, {"outage", "ended_at IS NULL, ended_at"}}) {
    const std::string some = std::string("DELETE FROM ") + table + " WHERE rowid IN (SELECT rowid FROM " + table +
                             " ORDER BY " + age + " LIMIT 1 + (SELECT count(*) FROM " + table + ") / 8)";
    while (bytes() > limits_.max_bytes &&
           database().number((std::string("SELECT EXISTS (SELECT 1 FROM ") + table + ")").c_str()) != 0) {
      begin();
      Statement(database(), some.c_str()).execute();
      commit();
    }
  }
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/database.hpp"

#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace placement::monitor {

Database::Database(const std::string& path, Access access, int wait_ms) : path_(path), handle_(nullptr, sqlite3_close) {
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  handle_.reset(opened);
  if (result != SQLITE_OK) throw DatabaseError(path + ": " + (opened ? sqlite3_errmsg(opened) : "no memory"), false);
  sqlite3_busy_timeout(opened, wait_ms);
  sqlite3_extended_result_codes(opened, 1);
}

void Database::fail() const {
  const int code = sqlite3_errcode(handle_.get()) & 0xff;
  throw DatabaseError(path_ + ": " + sqlite3_errmsg(handle_.get()), code == SQLITE_CORRUPT || code == SQLITE_NOTADB);
}

void Database::run(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

Statement::Statement(Database& database, const char* sql) : database_(database), handle_(nullptr, sqlite3_finalize) {
  sqlite3_stmt* prepared = nullptr;
  check(sqlite3_prepare_v2(database.handle(), sql, -1, &prepared, nullptr));
  handle_.reset(prepared);
}

void Statement::check(int result) {
  if (result != SQLITE_OK) database_.fail();
}

void Statement::restart() {
  sqlite3_reset(handle_.get());
  at_ = 0;
}

bool Statement::step() {
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) database_.fail();
  sqlite3_reset(handle_.get());
  return false;
}

void Statement::put(std::int64_t value) { check(sqlite3_bind_int64(handle_.get(), ++at_, value)); }

void Statement::put(double value) {
  check(std::isnan(value) ? sqlite3_bind_null(handle_.get(), ++at_) : sqlite3_bind_double(handle_.get(), ++at_, value));
}

void Statement::put(const std::string& value) {
  check(sqlite3_bind_text64(handle_.get(), ++at_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

std::int64_t Statement::integer(int column) { return sqlite3_column_int64(handle_.get(), column); }

bool Statement::is_null(int column) { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }

double Statement::real(int column) {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)))
               : std::string();
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace placement::monitor

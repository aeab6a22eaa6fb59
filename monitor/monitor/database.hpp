// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "common/util/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace placement::monitor {

// An error of a database. `broken` means that its content is damaged or that the file is no database.
class DatabaseError : public Error {
 public:
  DatabaseError(const std::string& what, bool is_broken) : Error(what), broken(is_broken) {}
  const bool broken;
};

// A SQLite file. All its errors throw DatabaseError with the text "path: error".
class Database {
 public:
  enum class Access { read, write };

  // Opens the file, which must exist for `read`. A call waits at most `wait_ms` for the lock of another process.
  Database(const std::string& path, Access access, int wait_ms);

  void run(const char* sql);             // runs statements that have no parameters and return no rows
  std::int64_t number(const char* sql);  // returns the first column of the first row; 0 without rows
  std::string text(const char* sql);     // returns the first column of the first row; empty without rows
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }

  // Throws the DatabaseError for the last call that failed.
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
};

// A prepared statement. Bind its parameters in their order, then step through its rows:
//   Statement s(database, "SELECT a FROM t WHERE b = ?");
//   for (s.bind(5); s.step();) use(s.integer(0));
class Statement {
 public:
  // Prepares `sql`. Throws DatabaseError. The database must outlive the statement.
  Statement(Database& database, const char* sql);

  // Restarts the statement with these parameters. A NaN becomes NULL.
  template <typename... Value>
  Statement& bind(const Value&... value) {
    restart();
    (put(value), ...);
    return *this;
  }
  bool step();  // goes to the next row; returns false after the last row
  void execute() {
    while (step()) continue;
  }  // runs the statement to its end

  // The values of the current row. Columns count from 0.
  std::int64_t integer(int column);
  double real(int column);  // NULL becomes NaN
  std::string text(int column);
  bool is_null(int column);

 private:
  void restart();
  void put(std::int64_t value);
  void put(int value) { put(static_cast<std::int64_t>(value)); }
  void put(bool value) { put(static_cast<std::int64_t>(value)); }
  void put(double value);
  void put(const std::string& value);
  void check(int result);

  Database& database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> handle_;
  int at_ = 0;  // parameters bound so far
};

// A transaction. The destructor undoes it unless it was committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "common/util/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace placement {

// What went wrong with a database; `broken`: its content is damaged, or it is none.
class DatabaseError : public Error {
 public:
  DatabaseError(const std::string& what, bool is_broken) : Error(what), broken(is_broken) {}
  const bool broken;
};

// A file of SQLite. What goes wrong with it throws DatabaseError "path: what".
class Database {
 public:
  enum class Access { read, write };

  // For reading the file has to exist. A call waits at most `wait_ms` for another process.
  Database(const std::string& path, Access access, int wait_ms);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql);              // statements without parameters or rows
  std::int64_t number(const char* sql);   // the first column of the first row; 0 without rows
  std::string text(const char* sql);      // likewise; empty without rows
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_; }

  [[noreturn]] void fail() const;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

// A prepared statement: bind its parameters in order, then step through its rows.
//   Statement s(database, "SELECT a FROM t WHERE b = ?");
//   for (s.bind(5); s.step();) use(s.integer(0));
class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Starts again, with these parameters. A NaN is NULL.
  template <typename... Value>
  Statement& bind(const Value&... value) {
    restart();
    (put(value), ...);
    return *this;
  }
  bool step();                             // to the next row; false at the end
  void execute() { while (step()) continue; }

  std::int64_t integer(int column);
  double real(int column);                 // NULL: NaN
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
  sqlite3_stmt* handle_ = nullptr;
  int at_ = 0;  // parameters bound so far
};

// All or nothing: what is not committed is undone.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

namespace placement::tools {

// The exit codes of all commands.
enum ExitCode {
  exit_ok = 0,
  exit_bad_input = 1,  // a file, a value in it, or a request that cannot be met
  exit_usage = 2,      // the command line itself is wrong
  exit_internal = 3,   // no memory, or a defect
};

// Writes the text to the file `path`, or to standard output for "" or "-". Returns exit_ok, because most commands end
// with their output. As root, replaces the file and follows no link of another user. Throws Error when it cannot.
ExitCode write_output(const std::string& path, const std::string& text);

// Prints a message of the command "placectl COMMAND" on standard error. An empty text prints nothing.
void notify(const std::string& command, const std::string& text);

// Returns the text that printf would print. The type of a 64-bit integer is long, "%ld".
__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...);

// A table for people. Each column is as wide as its longest field, and columns are two blanks apart. The first column
// is left-aligned. The others are right-aligned unless their title begins with '<'.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> titles);
  void add(std::vector<std::string> row);  // at most one field per title; missing fields are empty
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_;
};

// These return numbers in the form of tables. A value that is not known (NaN) is shown as "-".
std::string shown_number(double value, int digits = 2);  // with `digits` digits after the point
std::string shown_percent(double share, int digits);     // 5%, of a share from 0 to 1
std::string shown_bytes(double bytes);                   // 1.5G; units are powers of 1000
std::string shown_seconds(double seconds);               // 45s, 12m, 3.5h, 21d
std::string shown_microseconds(double us);               // 12us, 1.3ms, 2.0s
std::string shown_time(double seconds_since_1970);       // 2023-11-14 22:13:20, local time

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/cost.hpp"

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

// Returns `text` for a terminal or a page; it may have names that another user chose. A '?' replaces bytes that are not
// UTF-8, control characters except line feed and tab, and those that separate lines or change the direction of writing.
std::string safe_text(std::string_view text);

// Returns half of `twice`, which is not negative: half of a pair's traffic goes each way over a link.
inline std::string half_of(Cost twice) { return to_string(twice / 2) + (twice % 2 == 0 ? "" : ".5"); }

// Writes a JSON text piece by piece. The caller is responsible for the nesting. The writer adds commas and line feeds.
// Members and elements within fewer than `lines_within` objects or lists have their own line.
class JsonWriter {
 public:
  explicit JsonWriter(int lines_within = 1) : lines_within_(lines_within) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool yes) { return raw(yes ? "true" : "false"); }
  template <std::integral Number>
  JsonWriter& value(Number number) {
    return raw(std::to_string(number));
  }
  JsonWriter& value(Cost number) { return raw(to_string(number)); }
  JsonWriter& value(double number);  // writes nine significant digits; NaN and infinity become null
  JsonWriter& half(Cost twice) { return raw(half_of(twice)); }

  // Writes members: a name and a value, and so on.
  template <typename Value, typename... More>
  JsonWriter& member(std::string_view name, const Value& of, const More&... more) {
    key(name).value(of);
    if constexpr (sizeof...(more) > 0) member(more...);
    return *this;
  }
  // Writes a member that is a list of values.
  template <typename Range>
  JsonWriter& list(std::string_view name, const Range& values) {
    key(name).begin_array();
    for (const auto& one : values) value(one);
    return end_array();
  }
  // Writes a member that is a list of objects; write(element) writes the members of each.
  template <typename Range, typename Write>
  JsonWriter& objects(std::string_view name, const Range& elements, const Write& write) {
    key(name).begin_array();
    for (const auto& one : elements) {
      begin_object();
      write(one);
      end_object();
    }
    return end_array();
  }

  // Write a member with the fewest digits from which the number can be read back exactly.
  JsonWriter& exact_member(std::string_view name, double number);
  JsonWriter& exact_member(std::string_view name, float number);

  // Returns the whole text, which ends with a line feed.
  std::string take() { return std::move(text_) + "\n"; }

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  JsonWriter& raw(std::string_view text);
  void new_line();
  void separate();
  void append_string(std::string_view text);

  std::string text_;
  int lines_within_;
  int depth_ = 0;
  bool first_ = true;  // nothing was written yet in the innermost object or array
  bool after_key_ = false;
};

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "common/util/decimal.hpp"

namespace placement {

// A text of numbers under reading: its lines, the fields of each, and errors that name the place.
// Fields are apart by blanks, tabs, or one comma or semicolon; one at the end of a line is no field more.
// Lines end in LF or CR LF, the last one in nothing too; blank lines and '#' lines are passed over.
class TextScanner {
 public:
  // Both views outlive the scanner. A UTF-8 byte order mark is passed over.
  TextScanner(std::string_view text, std::string_view name);

  // Goes to the next line that says something, into its first field; false at the end.
  bool next_line();
  // Passes over lines that begin with this too.
  void set_comment(char start) { comment_ = start; }

  std::string_view line() const { return line_; }
  std::string_view name() const { return name_; }
  // Fields of the line, counted from its beginning.
  std::size_t count_fields() const;
  bool at_line_end();  // no field is left in the line
  void skip_to(std::size_t position) { at_ = line_.data() + position; }  // in line()

  // The next field of the line, whatever it holds. Throws Error when there is none.
  std::string_view word(std::string_view what);
  // The next field as a whole number of least..most. Throws Error, `what` naming the field.
  std::int64_t count(std::string_view what, std::int64_t most, std::int64_t least = 0);
  // The next field as an amount of traffic.
  Decimal amount(std::string_view what);
  // Throws Error when a field is left in the line.
  void end_line(std::string_view wanted);

  // Throws Error "name:line: ...".
  [[noreturn]] void fail(const std::string& text) const;
  // The same without a line: what is missing at the end, or wrong with the whole.
  [[noreturn]] void fail_whole(const std::string& text) const;

 private:
  void skip_blanks();
  void skip_separator();
  std::string_view raw_field();

  std::string_view rest_;
  std::string_view name_;
  std::string_view line_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::int64_t line_number_ = 0;
  char comment_ = '#';
};

// A piece of somebody's text for a message: shown() in quotes.
std::string quoted(std::string_view text);

}  // namespace placement

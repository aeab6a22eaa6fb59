// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace placement {

// Reads a text of numbers line by line and field by field. Errors name the file and the line. Fields are separated by
// blanks, tabs, or one comma or semicolon. If the first line has a comma or semicolon and no tab, blanks do not
// separate fields, so names may have blanks. A separator within double quotes is part of a field; a separator at the
// end of a line adds no empty field. Lines end in LF or CR LF. Blank lines and lines that start with '#' are skipped.
class TextScanner {
 public:
  // `name` is the file's name in errors. `text` and `name` must outlive the scanner. Skips a UTF-8 byte order mark.
  TextScanner(std::string_view text, std::string_view name);

  // Goes to the first field of the next line that is neither blank nor a comment. Returns false at the end of the text.
  bool next_line();
  // Makes next_line() also skip lines that start with `start`.
  void set_comment(char start) { comment_ = start; }
  // Makes next_line() stop at blank lines too.
  void keep_blank_lines() { keep_blank_lines_ = true; }

  std::string_view line() const { return line_; }
  std::string_view name() const { return name_; }
  // Returns the number of fields of the whole line, including fields already read.
  std::size_t count_fields() const;
  // Returns whether the last character of the line that is no blank is a comma or semicolon.
  bool ends_in_comma() const;
  // Returns whether no field is left in the line.
  bool at_line_end();
  // Returns whether the next field is empty: a comma or semicolon comes before any character of it. With `at_end`, the
  // end of the line after a comma or semicolon is also an empty field.
  bool at_empty_field(bool at_end);
  // Continues at the offset `position` of line(), in bytes from 0.
  void skip_to(std::size_t position) { at_ = line_.data() + position; }

  // Returns the next field of the line, without double quotes around it. It may be empty. Throws Error when no field
  // is left; `what` names the field in the message.
  std::string_view word(std::string_view what);
  // Returns the next field, `what`, as a whole number. Throws Error unless it is from `least` to `most`.
  std::int64_t count(std::string_view what, std::int64_t most, std::int64_t least = 0);
  // Returns the next field as an amount of traffic, from 0 to below 2^63, with or without fraction and exponent. A long
  // double holds these integers exactly. Throws Error for anything else; `what` names the field in the message.
  long double amount(std::string_view what);
  // Throws Error when a field is left in the line. `expected` describes the correct line in the message.
  void end_line(std::string_view expected);

  // Throws Error "name:line: text".
  [[noreturn]] void fail(const std::string& text) const;
  // Throws Error "name: text", for a fault that belongs to no single line, such as missing data.
  [[noreturn]] void fail_whole(const std::string& text) const;

 private:
  void skip_blanks();
  void skip_separator();
  bool is_separator(char c) const;
  std::string_view raw_field();

  std::string_view rest_;
  std::string_view name_;
  std::string_view line_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::int64_t line_number_ = 0;
  char comment_ = '#';
  bool keep_blank_lines_ = false;
  bool has_first_line_ = false;
  bool commas_only_ = false;  // blanks separate nothing
};

// Returns `text` for a message: shown() of it in single quotes.
std::string in_quotes(std::string_view text);

}  // namespace placement

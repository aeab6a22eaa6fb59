// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/text_scanner.hpp"

#include <charconv>
#include <cmath>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_comma(char c) { return c == ',' || c == ';'; }

TextScanner::TextScanner(std::string_view text, std::string_view name) : rest_(text), name_(name) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool TextScanner::next_line() {
  while (!rest_.empty()) {
    const std::size_t newline = rest_.find('\n');
    line_ = rest_.substr(0, newline);
    rest_.remove_prefix(newline == std::string_view::npos ? rest_.size() : newline + 1);
    ++line_number_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = line_.data();
    end_ = at_ + line_.size();
    skip_blanks();
    if (at_ == end_ ? !keep_blank_lines_ : *at_ == '#' || *at_ == comment_) continue;
    if (!has_first_line_) commas_only_ = line_.find_first_of(",;") != line_.npos && line_.find('\t') == line_.npos;
    has_first_line_ = true;
    return true;
  }
  line_ = {};
  at_ = end_ = nullptr;
  return false;
}

void TextScanner::skip_blanks() {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

bool TextScanner::is_separator(char c) const { return is_comma(c) || (!commas_only_ && is_blank(c)); }

void TextScanner::skip_separator() {
  skip_blanks();
  if (at_ != end_ && is_separator(*at_)) ++at_;
}

std::string_view TextScanner::raw_field() {
  skip_blanks();
  const std::string_view left(at_, static_cast<std::size_t>(end_ - at_));
  const std::size_t quote = left.starts_with('"') ? left.find('"', 1) : left.npos;
  const bool quoted =
      quote != left.npos && (quote + 1 == left.size() || is_blank(left[quote + 1]) || is_comma(left[quote + 1]));
  if (quoted) at_ += quote + 1;
  while (!quoted && at_ != end_ && !is_separator(*at_)) ++at_;
  std::string_view field = left.substr(0, static_cast<std::size_t>(at_ - left.data()));
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  skip_separator();
  return quoted ? field.substr(1, field.size() - 2) : field;
}

std::size_t TextScanner::count_fields() const {
  TextScanner scan(line_, name_);
  scan.commas_only_ = commas_only_;
  std::size_t fields = 0;
  scan.at_ = line_.data();
  scan.end_ = scan.at_ + line_.size();
  for (; !scan.at_line_end(); ++fields) scan.raw_field();
  return fields;
}

bool TextScanner::at_line_end() {
  skip_blanks();
  return at_ == end_;
}

bool TextScanner::ends_in_comma() const {
  const std::size_t last = line_.find_last_not_of(" \t");
  return last != line_.npos && is_comma(line_[last]);
}

bool TextScanner::at_empty_field(bool at_end) { return at_line_end() ? at_end && ends_in_comma() : is_comma(*at_); }

std::string_view TextScanner::word(std::string_view what) {
  if (at_line_end()) fail("the line ends where " + std::string(what) + " should be");
  return raw_field();
}

std::int64_t TextScanner::count(std::string_view what, std::int64_t most, std::int64_t least) {
  const std::string_view field = word(what);
  const std::optional<std::int64_t> value = parse_integer(field);
  if (!value || field.front() == '-' || *value < least || *value > most)
    fail(std::string(what) + " " + in_quotes(field) + ": expected a whole number from " + std::to_string(least) +
         " to " + std::to_string(most));
  return *value;
}

// Returns the value of the whole field; negative or NaN if it is not an amount.
static long double number_of(std::string_view field) {
  const std::string text(
      field);  // std::from_chars() for long double reads up to a byte that ends the number (libstdc++ 12)
  const char* const end = text.c_str() + text.size();
  long double value = 0;
  const auto [stop, code] = std::from_chars(text.c_str(), end, value);
  if (stop != end || text.empty() || code == std::errc::invalid_argument) return NAN;
  if (code == std::errc::result_out_of_range) return text.find('-') == text.npos ? INFINITY : 0;
  return std::signbit(value) ? -1 : value;
}

long double TextScanner::amount(std::string_view what) {
  skip_blanks();
  // The fast path: nearly all fields are integers of few digits.
  std::int64_t digits = 0;
  const char* stop = at_;
  for (; stop != end_ && stop - at_ < 18 && *stop >= '0' && *stop <= '9'; ++stop) digits = digits * 10 + (*stop - '0');
  if (stop != at_ && (stop == end_ || is_separator(*stop))) {
    at_ = stop;
    skip_separator();
    return static_cast<long double>(digits);
  }
  const std::string_view field = word(what);
  const long double value = number_of(field);
  if (!(value >= 0 && value < 0x1p63L))
    fail(std::string(what) + " " + in_quotes(field) + " is " +
         (std::isnan(value) ? "not a number"
          : value < 0       ? "negative"
                            : "2^63 or more") +
         ": expected a number from 0 to 2^63 - 1");
  return value;
}

void TextScanner::end_line(std::string_view expected) {
  if (!at_line_end())
    fail(in_quotes({at_, static_cast<std::size_t>(end_ - at_)}) + " is too much: expected " + std::string(expected));
}

void TextScanner::fail(const std::string& text) const { fail_at(std::string(name_), line_number_, text); }

void TextScanner::fail_whole(const std::string& text) const { throw Error(std::string(name_) + ": " + text); }

std::string in_quotes(std::string_view text) { return "'" + shown(text) + "'"; }

}  // namespace placement

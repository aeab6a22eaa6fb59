// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/output.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

ExitCode write_output(const std::string& path, const std::string& text) {
  const bool to_stdout = path.empty() || path == "-";
  const bool written = to_stdout
                           ? std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0
                           : write_all(open_output(path), text);
  if (!written)
    throw Error("cannot write " + (to_stdout ? std::string("to standard output") : path) + ": " + std::strerror(errno));
  return exit_ok;
}

void notify(const std::string& command, const std::string& text) {
  if (!text.empty()) std::fprintf(stderr, "placectl %s: %s\n", command.c_str(), text.c_str());
}

std::string formatted(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = nullptr;
  const int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) throw std::bad_alloc();
  std::string out(text, static_cast<std::size_t>(length));
  std::free(text);
  return out;
}

TextTable::TextTable(std::vector<std::string> titles) : titles_(std::move(titles)) {
  for (std::string& title : titles_) {
    const bool marked = title.starts_with('<');
    if (marked) title.erase(0, 1);
    left_.push_back(marked || left_.empty());
  }
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(titles_.size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> width;
  for (const std::string& title : titles_) width.push_back(title.size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(width[c] - row[c].size(), ' ');
      line += (c > 0 ? "  " : "") + (left_[c] ? row[c] + blanks : blanks + row[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_row(titles_);
  for (const auto& row : rows_) add_row(row);
  return out;
}

std::string shown_number(double value, int digits) {
  return std::isnan(value) ? "-" : formatted("%.*f", digits, value);
}

std::string shown_percent(double share, int digits) {
  return shown_number(100 * share, digits) + (std::isnan(share) ? "" : "%");
}

std::string shown_bytes(double bytes) {
  if (std::isnan(bytes)) return "-";
  constexpr const char* units[] = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return formatted("%.*f%s", unit > 0 && bytes < 9.95 ? 1 : 0, bytes, units[unit]);
}

std::string shown_seconds(double seconds) {
  if (std::isnan(seconds)) return "-";
  if (seconds < 120) return formatted("%.0fs", seconds);
  if (seconds < 2 * 3600) return formatted("%.0fm", seconds / 60);
  if (seconds < 2 * 86400) return formatted("%.1fh", seconds / 3600);
  return formatted("%.1fd", seconds / 86400);
}

std::string shown_microseconds(double us) {
  if (std::isnan(us)) return "-";
  if (us < 1000) return formatted("%.0fus", us);
  if (us < 1e6) return formatted("%.1fms", us / 1e3);
  return formatted("%.1fs", us / 1e6);
}

std::string shown_time(double seconds_since_1970) {
  if (!(seconds_since_1970 >= 0 && seconds_since_1970 < 253402300800.0)) return "-";
  const auto time = static_cast<std::time_t>(seconds_since_1970);
  std::tm local{};
  char text[32];
  if (localtime_r(&time, &local) == nullptr || std::strftime(text, sizeof text, "%F %T", &local) == 0) return "-";
  return text;
}

// Returns the number of bytes of the first character in `text`; 0 if these bytes are not valid UTF-8.
static std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  for (std::size_t at = 1; at < size; ++at)
    if ((byte(at) & 0xc0) != 0x80) return 0;
  // These are not valid: overlong forms, halves of a UTF-16 pair, and numbers beyond the last character.
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return bad ? 0 : size;
}

std::string safe_text(std::string_view text) {
  constexpr std::string_view unwanted[] = {"\xd8\x9c", "\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf"};
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = utf8_size(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(size, 1));
    const auto first = static_cast<unsigned char>(character[0]);
    const bool control = size == 1 && (first < ' ' || first == 0x7f) && first != '\n' && first != '\t';
    // U+0080 to U+009F; U+200E to U+200F, U+2028 to U+202E, and U+2066 to U+2069.
    const bool other =
        (size == 2 && character < "\xc2\xa0") || (character >= "\xe2\x80\x8e" && character <= "\xe2\x80\x8f") ||
        (character >= "\xe2\x80\xa8" && character <= "\xe2\x80\xae") ||
        (character >= "\xe2\x81\xa6" && character <= "\xe2\x81\xa9") || std::ranges::count(unwanted, character) > 0;
    safe += size == 0 || control || other ? "?" : character;
    at += character.size();
  }
  return safe;
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  --depth_;
  if (depth_ < lines_within_ && !first_) new_line();
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_string(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_string(text);
  return *this;
}

// JSON has no NaN and no infinity: these become null. Seconds since 1970 are written to the millisecond.
JsonWriter& JsonWriter::value(double number) {
  return raw(std::isfinite(number) ? short_number(number, std::fabs(number) < 1e9 ? 9 : 13) : "null");
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

// Whole numbers from 1e15 on are written with an exponent, because readers would take their digits for a 64-bit
// integer. For the same reason, -0 is written as -0.0.
template <typename Number>
static std::string exact_text(Number number) {
  if (!std::isfinite(number)) return "null";
  if (number == 0 && std::signbit(number)) return "-0.0";
  if (std::fabs(number) < Number{1e15F}) return exact_number(number);
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr};
}

JsonWriter& JsonWriter::exact_member(std::string_view name, double number) { return key(name).raw(exact_text(number)); }
JsonWriter& JsonWriter::exact_member(std::string_view name, float number) { return key(name).raw(exact_text(number)); }

void JsonWriter::new_line() { text_.append("\n").append(static_cast<std::size_t>(2 * depth_), ' '); }

void JsonWriter::separate() {
  if (!after_key_ && depth_ > 0) {
    const bool own_line = depth_ <= lines_within_;
    if (!first_) text_ += own_line ? "," : ", ";
    if (own_line) new_line();
  }
  after_key_ = false;
  first_ = false;
}

void JsonWriter::append_string(std::string_view text) {
  text_ += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
      text_ += escaped;
    } else if (const std::size_t size = utf8_size(text.substr(at)); size > 0) {
      text_ += text.substr(at, size);
      at += size - 1;
    } else {  // not valid UTF-8, as it can occur in the name of a file
      text_ += "\\ufffd";
    }
  }
  text_ += '"';
}

}  // namespace placement::tools

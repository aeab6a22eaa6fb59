// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace placement::tools {

std::size_t utf8_size(std::string_view text) {
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

// JSON has no NaN and no infinity, so these become null. Seconds since 1970 have ten digits and are written to the
// millisecond.
JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return raw("null");
  char text[32];
  std::snprintf(text, sizeof text, std::fabs(number) < 1e9 ? "%.9g" : "%.13g", number);
  return raw(text);
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

// A number that is whole and large has an exponent, because readers take long rows of digits for integers of 64 bits.
// For the same reason the sign of -0 is kept by a fraction.
template <typename Number>
JsonWriter& JsonWriter::exact_number(Number number) {
  if (!std::isfinite(number)) return raw("null");
  if (number == 0 && std::signbit(number)) return raw("-0.0");
  char text[64];
  const auto [end, error] = std::fabs(number) < Number{1e15F}
                                ? std::to_chars(text, text + sizeof text, number)
                                : std::to_chars(text, text + sizeof text, number, std::chars_format::scientific);
  return raw({text, error == std::errc{} ? end : text});
}

template JsonWriter& JsonWriter::exact_number(double);
template JsonWriter& JsonWriter::exact_number(float);

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

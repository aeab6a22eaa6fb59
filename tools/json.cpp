// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/json.hpp"

#include <cmath>
#include <cstdio>

namespace placement {

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  --depth_;
  if (depth_ == 0 && !first_) text_ += '\n';
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

// JSON has no infinities.
JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return raw("null");
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return raw(text);
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

void JsonWriter::separate() {
  if (!after_key_ && depth_ > 0) {
    if (!first_) text_ += depth_ == 1 ? "," : ", ";
    if (depth_ == 1) text_ += "\n  ";
  }
  after_key_ = false;
  first_ = false;
}

void JsonWriter::append_string(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
      text_ += escaped;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace placement

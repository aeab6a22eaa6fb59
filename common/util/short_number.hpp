// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <charconv>
#include <cstdio>
#include <string>

namespace placement {

// Returns the number with this number of significant digits.
inline std::string short_number(double value, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// Returns the number with this number of decimals.
inline std::string fixed_number(double value, int decimals) {
  char text[352];  // the largest number has 309 digits
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Returns the shortest text that gives exactly this number.
template <typename Number>
std::string exact_number(Number value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// Returns a share (0..1) as a percentage with three significant digits, such as "12.5 %".
inline std::string in_percent(double share) { return short_number(100 * share) + " %"; }

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdio>
#include <string>

namespace placement {

// Returns the number with three significant digits.
inline std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Returns a share (0..1) as a percentage with three significant digits, such as "12.5 %".
inline std::string in_percent(double share) { return short_number(100 * share) + " %"; }

}  // namespace placement

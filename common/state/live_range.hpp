// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/util/short_number.hpp"

namespace placement {

// The valid range of a value of the live state. A number outside is an error of the program that wrote it. It could
// also make sums and products in policies infinite, or hide other terms.
struct NumberRange {
  double least = 0;
  double most = 0;

  // Returns whether the value is in the range. NaN is in no range.
  constexpr bool has(double value) const { return value >= least && value <= most; }
  // Returns the range as text: "a number from 1 to 1000000".
  std::string text() const { return "a number from " + short_number(least, 16) + " to " + short_number(most, 16); }
};

// The ranges of the values of a live state. Units are in the names; `share` is a fraction, `load` a length of a queue.
namespace live_range {
inline constexpr NumberRange share{0, 1};
inline constexpr NumberRange cores{1, 1e6};
inline constexpr NumberRange sockets{1, 1e6};
inline constexpr NumberRange frequency_MHz{0, 1e6};
inline constexpr NumberRange memory_MiB{0, 1e12};
inline constexpr NumberRange load{0, 1e9};
inline constexpr NumberRange users{0, 1e9};
inline constexpr NumberRange rate_Bps{0, 1e15};
inline constexpr NumberRange latency_us{0, 1e9};
inline constexpr NumberRange seconds{0, 1e12};
}  // namespace live_range

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

namespace placement {

// The words of a snapshot as text, for snapshot_text.cpp, which writes it, and snapshot_text_read.cpp, which reads it.

inline constexpr std::string_view snapshot_first_word = "slurm-placement-snapshot";
inline constexpr std::string_view snapshot_plain_version = "1";
inline constexpr std::string_view snapshot_extra_version = "2";  // a text that may have forecasts and estimators
inline constexpr std::string_view snapshot_not_known = "-";

// Returns the number with the fewest digits from which it can be read back exactly; "-" for NaN.
template <typename Number>
std::string snapshot_number(Number value) {
  if constexpr (std::is_floating_point_v<Number>)
    if (std::isnan(value)) return std::string(snapshot_not_known);
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, error == std::errc{} ? end : text};
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

namespace placement {

// What who writes a snapshot as text and who reads it both must know.

inline constexpr std::string_view snapshot_first_word = "slurm-placement-snapshot";
inline constexpr std::string_view snapshot_plain_version = "1";
inline constexpr std::string_view snapshot_extra_version = "2";  // may have forecasts and estimators
inline constexpr std::string_view snapshot_not_known = "-";

// Just the digits that give the same number again.
template <typename Number>
std::string snapshot_number(Number value) {
  if constexpr (std::is_floating_point_v<Number>)
    if (std::isnan(value)) return std::string(snapshot_not_known);
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, error == std::errc{} ? end : text};
}

}  // namespace placement

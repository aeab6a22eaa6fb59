// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

namespace placement {

// A number as written in a text: digits * 10^exponent, exactly. exponent <= 0, and the last digit is not 0
// when it is below 0, so that equal numbers are equal members.
struct Decimal {
  std::int64_t digits = 0;
  std::int32_t exponent = 0;

  bool operator==(const Decimal&) const = default;
};

// Reads all of the field as a number of 0 or more: integer, decimal fraction, or either with an
// exponent. What has more than 18 significant digits and a fraction is rounded, half up.
// Returns null when it went well, else what is wrong with the field ("is negative", ...).
const char* parse_decimal(std::string_view field, Decimal& value);

// digits * 10^(exponent + scale) as an integer, rounded half up; `exact` becomes false when it was rounded.
// The caller has made sure that the result fits.
std::int64_t scaled(const Decimal& value, std::int32_t scale, bool& exact);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

namespace placement {

// A decimal number, held exactly as digits * 10^exponent. `exponent` is 0 or negative; when it is negative, the last
// digit of `digits` is not 0. So each number has one form only, and numbers can be compared member by member.
struct Decimal {
  std::int64_t digits = 0;
  std::int32_t exponent = 0;

  bool operator==(const Decimal&) const = default;
};

// Parses the whole `field` as a number of 0 or more, below 2^63, and stores it in `value`. The field is an integer or
// a decimal fraction, with or without an exponent. A number of more than 18 significant digits loses digits of its
// fraction by rounding, until it has 18 digits or no fraction. Returns null on success, else a text that says what
// is wrong with the field ("is negative", ...); `value` is then unchanged.
const char* parse_decimal(std::string_view field, Decimal& value);

// Returns value * 10^scale as an integer, rounded half up. Sets `exact` to false when the result was rounded and
// leaves it alone otherwise. The caller makes sure that the result is below 2^63.
std::int64_t scaled(const Decimal& value, std::int32_t scale, bool& exact);

}  // namespace placement

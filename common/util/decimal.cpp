// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/decimal.hpp"

#include <algorithm>
#include <limits>

#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr const char* too_large = "is 2^63 or more";
constexpr const char* no_number = "is not a number";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* what_is_no_number(std::string_view field) {
  const std::string_view word = field.substr(field.front() == '-' || field.front() == '+' ? 1 : 0);
  if (equal_any_case(word, "nan")) return "is not a number (NaN)";
  if (equal_any_case(word, "inf") || equal_any_case(word, "infinity")) return "is infinite";
  if (field.front() == '-' && !word.empty() && (is_digit(word.front()) || word.front() == '.')) return "is negative";
  return no_number;
}

// The digits of a number, and the power of ten by which they are multiplied. About 36 digits are kept.
struct Mantissa {
  unsigned __int128 digits = 0;
  std::int64_t exponent = 0;
  bool any = false;

  void take(char c, bool fraction) {
    constexpr unsigned __int128 room = static_cast<unsigned __int128>(1) << 120;
    any = true;
    if (digits < room) {
      digits = digits * 10 + static_cast<unsigned>(c - '0');
      exponent -= fraction;
    } else {
      exponent += !fraction;  // 36 digits are there already, so that the value of further ones does not matter
    }
  }
};

// Adds the exponent in `text` to `exponent`. Returns null, or what is wrong with the text. An exponent above 10^12 is
// taken as 10^12, so that sums of exponents do not overflow.
const char* read_exponent(std::string_view text, std::int64_t& exponent) {
  const bool minus = !text.empty() && text.front() == '-';
  if (!text.empty() && (minus || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return no_number;
  std::int64_t value = 0;
  for (const char c : text) value = std::min<std::int64_t>(value * 10 + (c - '0'), 1'000'000'000'000);
  exponent += minus ? -value : value;
  return nullptr;
}

// Stores `number` in the form that Decimal prescribes. Returns null, or what is wrong with the number.
const char* normalise(Mantissa number, Decimal& value) {
  if (number.digits == 0) {
    value = {};
    return nullptr;
  }
  for (; number.exponent > 0; --number.exponent) {
    if (number.digits > largest / 10) return too_large;
    number.digits *= 10;
  }
  bool round_up = false;
  while (number.exponent < 0 && number.digits >= 1'000'000'000'000'000'000) {
    round_up = number.digits % 10 >= 5;
    number.digits /= 10;
    ++number.exponent;
  }
  number.digits += round_up;
  while (number.exponent < 0 && number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.exponent;
  }
  if (number.digits > largest) return too_large;
  constexpr std::int64_t tiniest = -1'000'000;  // smaller numbers are rounded to 0 in the end anyway
  value = {static_cast<std::int64_t>(number.digits), static_cast<std::int32_t>(std::max(number.exponent, tiniest))};
  return nullptr;
}

}  // namespace

const char* parse_decimal(std::string_view field, Decimal& value) {
  if (field.empty()) return "is empty";
  std::size_t at = 0;
  Mantissa number;
  for (; at < field.size() && is_digit(field[at]); ++at) number.take(field[at], false);
  if (at < field.size() && field[at] == '.')
    for (++at; at < field.size() && is_digit(field[at]); ++at) number.take(field[at], true);
  if (!number.any) return what_is_no_number(field);
  if (at < field.size() && (field[at] == 'e' || field[at] == 'E')) {
    if (const char* wrong = read_exponent(field.substr(at + 1), number.exponent)) return wrong;
    at = field.size();
  }
  return at == field.size() ? normalise(number, value) : no_number;
}

std::int64_t scaled(const Decimal& value, std::int32_t scale, bool& exact) {
  std::int64_t result = value.digits;
  std::int64_t power = static_cast<std::int64_t>(value.exponent) + scale;
  for (; power > 0; --power) result *= 10;
  if (power == 0) return result;
  exact = false;
  if (power < -19) return 0;
  for (; power < -1; ++power) result /= 10;
  return result / 10 + (result % 10 >= 5);
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/cost.hpp"

#include <algorithm>

namespace placement {

std::string to_string(Cost cost) {
  if (cost == 0) return "0";
  const bool negative = cost < 0;
  std::string digits;
  for (; cost != 0; cost /= 10) {
    const int digit = static_cast<int>(cost % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// A number of hop-bytes [TM §1]. It cannot overflow: the traffic of all pairs sums to less than 2^63, and a distance is
// below 2^32.
__extension__ typedef __int128 Cost;

// Returns the cost as a decimal number.
inline std::string to_string(Cost cost) {
  if (cost < 0) return "-" + to_string(-cost);
  return (cost < 10 ? "" : to_string(cost / 10)) + static_cast<char>('0' + static_cast<int>(cost % 10));
}

}  // namespace placement

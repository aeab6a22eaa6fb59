// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// A number of hop-bytes [TM §1]. The total traffic is at most 2^63 - 1 (CommMatrix) and a distance fits into 32 bits,
// so a cost cannot overflow 128 bits.
__extension__ typedef __int128 Cost;

// Returns the cost as a decimal number.
std::string to_string(Cost cost);

}  // namespace placement

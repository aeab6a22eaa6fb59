// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// A number of hop-bytes [TM §1]. CommMatrix limits the total traffic to 2^63 - 1, and a distance fits into 32 bits, so
// that a cost cannot overflow 128 bits.
__extension__ typedef __int128 Cost;

// Returns the cost as a decimal number.
std::string to_string(Cost cost);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// Hop-bytes. Traffic is at most 2^63 - 1 in all (CommMatrix sees to that) and a distance fits in
// 32 bits, so that a cost never overflows 128.
__extension__ typedef __int128 Cost;

std::string to_string(Cost cost);

}  // namespace placement

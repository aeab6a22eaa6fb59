// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string_view>

namespace placement {

// Writes all bytes to the open file `file`, even if a call writes only a part or is interrupted by a signal. Returns
// false, with errno set, if that fails.
bool write_all(int file, std::string_view bytes);

}  // namespace placement

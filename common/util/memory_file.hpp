// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// Returns the descriptor of a file in memory with `text`, sealed against changes, or -1 with errno. Its number is high,
// because shell scripts use low ones. With `inherited`, programs that this process executes inherit it.
int file_in_memory(const std::string& text, bool inherited);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement::tools {

// Writes the text to the file `path`, or to standard output if `path` is empty or "-". Throws Error when it cannot be
// written completely.
void write_output(const std::string& path, const std::string& text);

}  // namespace placement::tools

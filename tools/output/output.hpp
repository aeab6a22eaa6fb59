// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement::tools {

// Writes the text to the file `path`, or to standard output for "" or "-". Throws Error when it cannot.
void write_output(const std::string& path, const std::string& text);

// Prints a message of the command "placectl COMMAND" on standard error. An empty text prints nothing.
void notify(const std::string& command, const std::string& text);

// Returns the text that printf would print.
__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...);

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement::tools {

// The exit codes of all commands.
enum ExitCode {
  exit_ok = 0,
  exit_bad_input = 1,  // a file, a value in it, or a request that cannot be met
  exit_usage = 2,      // the command line itself is wrong
  exit_internal = 3,   // no memory, or a defect
};

// Writes the text to the file `path`, or to standard output for "" or "-". Returns exit_ok, because most commands end
// with their output. Throws Error when it cannot.
ExitCode write_output(const std::string& path, const std::string& text);

// Prints a message of the command "placectl COMMAND" on standard error. An empty text prints nothing.
void notify(const std::string& command, const std::string& text);

// Returns the text that printf would print.
__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...);

}  // namespace placement::tools

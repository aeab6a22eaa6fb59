// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace placement::agent {

// Returns the value of the option `letter` in the command line of a slurmd. `cmdline` is the text of /proc/PID/cmdline,
// which has a zero byte after each word. The forms "-N n1", "-Nn1" and, after other letters, "-DN n1" are known. The
// last one of several wins. Returns none when the option is not given.
std::optional<std::string> daemon_option(std::string_view cmdline, char letter);

}  // namespace placement::agent

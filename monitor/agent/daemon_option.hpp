// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace placement {

// The option of slurmd's command line, "-N n1", "-Nn1" or after other letters as in "-DN n1", from the
// text of /proc/PID/cmdline, which has a zero after each word. None: it is not given.
std::optional<std::string> daemon_option(std::string_view cmdline, char letter);

}  // namespace placement

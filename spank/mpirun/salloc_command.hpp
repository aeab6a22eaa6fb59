// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

namespace placement::spank {

// Returns true if salloc starts a shell in which its user types: it has no command, or the name of a shell without a
// script and without -c, also behind env, nice and the like. A file that begins with "#!" is a script, whatever its
// name is; a command without a slash is looked for in the directories of the variable PATH.
bool is_interactive_shell(const std::vector<std::string>& command);

}  // namespace placement::spank

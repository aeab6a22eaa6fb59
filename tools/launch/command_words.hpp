// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "tools/input/command_line.hpp"

namespace placement::tools {

// Returns the text as one word of a shell.
std::string quoted(const std::string& text);

// Becomes the command, which is searched for in PATH. Throws Error if it cannot be run.
[[noreturn]] void execute(const std::vector<std::string>& words);

// Returns the words of a command of Slurm with -m for the policy, matrix, pattern, --auto and --weight of the command
// line, and with its --ntasks. The plugins must be installed. Without any of them, a step (`of_job`) gets no -m,
// because the policy of its job applies, and a job gets TREEMATCH.
std::vector<std::string> words_with_policy(const CommandLine& line, std::vector<std::string> words, bool of_job);

}  // namespace placement::tools

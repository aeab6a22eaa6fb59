// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "sim/engine.hpp"
#include "sim/job_selection.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Readers for the options of placectl simulate. All throw UsageError, which names the option and its allowed values.

// Returns the number that `option` has, or `otherwise` without the option. It must be from `least` to `most`.
double number_option(const CommandLine& line, const char* option, double otherwise, double least, double most);

// Returns the index of the word that `option` has; 0 without the option.
int choice(const CommandLine& line, const char* option, std::initializer_list<const char*> words);

sim::JobSelection read_selection(const CommandLine& line);
sim::ReplayOptions read_options(const CommandLine& line);
std::vector<sim::Strategy> read_strategies(const CommandLine& line);

// Throws UsageError for a strategy that cannot place any job because the command line does not give what it needs.
void check_strategies(std::span<const sim::Strategy> strategies, const CommandLine& line);

}  // namespace placement::tools

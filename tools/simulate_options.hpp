// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "sim/engine.hpp"
#include "sim/job_selection.hpp"
#include "tools/command_line.hpp"

namespace placement {

// What placectl simulate is told on its command line. All throw UsageError, which names the option and says what it takes.

double number_option(const CommandLine& line, const char* option, double otherwise, double least, double most);

// Which of the words the option has, by number; 0 without the option.
int choice(const CommandLine& line, const char* option, std::initializer_list<const char*> words);

sim::JobSelection read_selection(const CommandLine& line);
sim::ReplayOptions read_options(const CommandLine& line);
std::vector<sim::Strategy> read_strategies(const CommandLine& line);

// Throws UsageError on a strategy that could place no job, for want of what the command line does not give.
void check_strategies(std::span<const sim::Strategy> strategies, const CommandLine& line);

}  // namespace placement

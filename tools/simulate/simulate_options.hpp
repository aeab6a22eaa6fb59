// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <vector>

#include "sim/engine.hpp"
#include "sim/job_selection.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// An option of placectl simulate that placectl report has too.
inline constexpr Option node_option{0, "node", "SxC", "sockets and cores per socket of the nodes of a tree or torus"};

// Readers for the options of placectl simulate. All throw UsageError, which names the option and its allowed values.

// Returns the number that `option` has, or `otherwise` without the option. It must be from `least` to `most`.
double number_option(const CommandLine& line, const char* option, double otherwise, double least, double most);

// Returns which jobs of the log are replayed.
sim::JobSelection read_selection(const CommandLine& line);

// Returns the options of the replay itself.
sim::ReplayOptions read_options(const CommandLine& line);

// Returns the strategies of --strategies.
std::vector<sim::Strategy> read_strategies(const CommandLine& line);

// Throws UsageError for a strategy that cannot place any job because the command line does not give what it needs.
void check_strategies(std::span<const sim::Strategy> strategies, const CommandLine& line, bool on_torus);

}  // namespace placement::tools

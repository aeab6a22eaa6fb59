// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sim/engine.hpp"
#include "tools/command_line.hpp"

namespace placement {

// The machine of the command line. What is known of it goes into its view, and into the options what will happen to
// it. Throws UsageError, and Error where a file is not what it should be.
sim::Machine read_machine(const CommandLine& line, sim::ReplayOptions& replay_options);

// The options that say what read_machine() makes, with their values, those by default too; '_' for '-' in their names.
std::vector<std::pair<std::string, std::string>> machine_options(const CommandLine& line);

// As --threads-per-core has it; else for sacct's logs as the machine's slurm.conf.
sim::ProcessorsPerCore read_processors_per_core(const CommandLine& line, const sim::Machine& machine);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sim/engine.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Reads the tree or torus and the nodes that the command line describes. All cores are free. Throws UsageError, and
// Error when a file is not valid or no switch joins all nodes.
ClusterView read_machine_view(const CommandLine& line);

// Reads the machine that the command line describes. The state of its nodes becomes part of the machine's view. Adds
// the failures of nodes during the replay to `replay_options`. Throws UsageError, and Error when a file is not valid.
sim::Machine read_machine(const CommandLine& line, sim::ReplayOptions& replay_options);

// Returns the options that describe the machine of read_machine(), with their values, including defaults in use. Names
// have '_' instead of '-'.
std::vector<std::pair<std::string, std::string>> machine_options(const CommandLine& line);

// Returns the number of processors per core of the machine's nodes in the slurm.conf `conf`, for logs of sacct.
sim::ProcessorsPerCore processors_per_core_of(const std::string& conf, const sim::Machine& machine);

// Returns the number of processors per core. It is that of --threads-per-core, or else, for logs of sacct, that of the
// machine's slurm.conf.
sim::ProcessorsPerCore read_processors_per_core(const CommandLine& line, const sim::Machine& machine);

}  // namespace placement::tools

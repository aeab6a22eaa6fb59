// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <utility>

#include "sim/engine.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Options of placectl simulate that placectl report has too.
inline constexpr Option node_option{0, "node", "SxC", "sockets and cores per socket of the nodes of a tree or torus"};
inline constexpr Option threads_per_core_option{
    0, "threads-per-core", "N", "processors per core in the log [from slurm.conf for logs of sacct, else 1]"};
inline constexpr Option communication_option{'a', "communication", "PERCENT",
                                             "share of the run time spent communicating [30]"};
inline constexpr Option traffic_pattern_option{
    0, "pattern", "WORD",
    "source of the matrices: random, random=DEGREE (mean number of neighbours), dt (trees of NPB DT),\n"
    "FOLDER/ of recorded matrices, or a pattern as for srun (ring, tree, alltoall, grid=, tp=,..).\n"
    "A job has no matrix if none is recorded for its number of tasks, or if the pattern does not\n"
    "fit it [random]"};
inline constexpr Option seed_option{0, "seed", "N", "seed of all random choices [1]"};

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

// Reads the tree or torus and the nodes that the command line describes. All cores are free. Throws UsageError, and
// Error when a file is not valid or no switch joins all nodes.
ClusterView read_machine_view(const CommandLine& line);

// Reads the machine that the command line describes. The state of its nodes becomes part of the machine's view. Adds
// the failures of nodes during the replay to `replay_options`. Throws UsageError, and Error when a file is not valid.
sim::Machine read_machine(const CommandLine& line, sim::ReplayOptions& replay_options);

// Returns the options of the machine of read_machine() with values and defaults in use. Names have '_' for '-'.
std::vector<std::pair<std::string, std::string>> machine_options(const CommandLine& line);

// Returns the number of processors per core of the machine's nodes in the slurm.conf `conf`, for logs of sacct.
sim::ProcessorsPerCore processors_per_core_of(const std::string& conf, const sim::Machine& machine);

// Returns the number of processors per core. It is --threads-per-core, or for logs of sacct that of slurm.conf.
sim::ProcessorsPerCore read_processors_per_core(const CommandLine& line, const sim::Machine& machine);

}  // namespace placement::tools

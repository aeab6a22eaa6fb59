// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <vector>

#include "sim/engine.hpp"
#include "sim/job_selection.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Options of placectl simulate that placectl report has too.
inline constexpr Option node_option{0, "node", "SxC", "sockets and cores per socket of the nodes of a tree or torus"};
inline constexpr Option threads_per_core_option{
    0, "threads-per-core", "N",
    "processors that the log counts for each core [that of slurm.conf for logs of sacct, else 1]"};
inline constexpr Option communication_option{'a', "communication", "PERCENT",
                                             "share of the run time spent communicating [30]"};
inline constexpr Option traffic_pattern_option{
    0, "pattern", "WORD",
    "source of the matrices: random, random=DEGREE, dt, or a folder of recorded ones, for jobs\n"
    "of as many tasks; or ring, tree, alltoall, grid=, tp=,.. as for srun, for jobs that they\n"
    "fit [random]"};
inline constexpr Option seed_option{0, "seed", "N", "of all random choices [1]"};

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

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace placement {

// The options of the running srun, sbatch or salloc by their long names ("ntasks"), as cli_filter
// plugins see them: command line, environment and #SBATCH lines are already merged. The value is
// Slurm's own text; nothing when the option was not given or this Slurm does not tell.
using ClientOption = std::function<std::optional<std::string>(const std::string& name)>;

// Asks Slurm, by names that it looks up at run time.
std::optional<std::string> client_option(const std::string& name);

// Whether client_option can tell anything in this process.
bool client_options_known();

// How many tasks the job or step will have, as far as its options fix that: -n, or a fixed -N
// together with --ntasks-per-node.
std::optional<std::int32_t> known_task_count(const ClientOption& option);

}  // namespace placement

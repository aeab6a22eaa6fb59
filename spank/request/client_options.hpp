// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace placement::spank {

// Returns the value of an option of the running srun, sbatch or salloc, by its long name such as "ntasks". The value is
// Slurm's own text, as cli_filter plugins see it: command line, environment and #SBATCH lines are merged. Returns
// nothing if the option was not given or this version of Slurm does not report it.
using ClientOption = std::function<std::optional<std::string>(const std::string& name)>;

// Returns the value of an option from Slurm; see ClientOption. Looks up Slurm's functions at run time.
std::optional<std::string> client_option(const std::string& name);

// Returns the type in force of --mpi, also if it is MpiDefault of slurm.conf. Returns an empty string if this version
// of Slurm does not report it. Call it when srun has read all options.
std::string mpi_type_in_force();

// Sets an option of the running srun, as if it had been given, and returns whether the option has this value then.
// Options that srun reads only when it launches a step can be set until then.
bool set_client_option(const std::string& name, const std::string& value);

// Shows the user "placement: TEXT" on standard error, unless --quiet was given. Slurm itself applies --quiet only after
// the options of plugins were processed.
void tell_user(const std::string& text);

// Returns true if client_option() works in this process.
bool client_options_known();

// Returns the number in a count of GPUs such as "8" or "a100:8"; nothing for a list of several types, or if there is no
// text.
std::optional<std::int32_t> gpu_number(const std::optional<std::string>& text);

// Returns the number of tasks that the job or step will have, or nothing if its options do not fix it. Options that fix
// it: -n; -N with one number and --ntasks-per-node; --ntasks-per-gpu with --gpus, or with --gpus-per-node and -N with
// one number. With `one_per_node`, -N with one number alone fixes it, too, because an srun that makes a job starts one
// task per node by default.
std::optional<std::int32_t> known_task_count(const ClientOption& option, bool one_per_node = false);

}  // namespace placement::spank

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <slurm/slurm.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// spank.h declares the functions of a plugin outside its own extern "C", so this file adds one.
extern "C" {
#include <slurm/spank.h>
}

#define EXPORTED extern "C" __attribute__((visibility("default")))

// Defines the symbols by which Slurm knows a plugin.
#define SPANK_PLUGIN_SYMBOLS(name)                                  \
  EXPORTED const char plugin_name[], plugin_type[];                 \
  EXPORTED const unsigned int plugin_version, spank_plugin_version; \
  const char plugin_name[] = name;                                  \
  const char plugin_type[] = "spank";                               \
  const unsigned int plugin_version = SLURM_VERSION_NUMBER;         \
  const unsigned int spank_plugin_version = 1;

namespace placement::spank {

// Returns the job ID and the step ID; nothing for a batch script and other special steps.
std::optional<std::pair<std::uint32_t, std::uint32_t>> step_number(spank_t spank);

// Returns the program and arguments of the step; an empty list if Slurm does not report them.
std::vector<std::string> command_of_step(spank_t spank);

// Returns the program and arguments of a process by its ID, or "self"; an empty list if they cannot be read.
std::vector<std::string> command_line_of(const std::string& process);

// Returns the value of the variable `name` in the environment of the task, as the task will see it; nothing if it is
// not set. Call it in slurmstepd.
std::optional<std::string> task_variable(spank_t spank, const char* name);

}  // namespace placement::spank

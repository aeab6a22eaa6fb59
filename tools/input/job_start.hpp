// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/slurm/slurm_command.hpp"

namespace placement::tools {

// When and where slurmctld would start a job.
struct Start {
  std::uint32_t job = 0;
  std::string time, processors, nodes, partition;
};

// Parses a line as "srun: Job 8 to start at 2026-11-22T20:07:40 using 8 processors on nodes n[1-4] in partition all".
// Slurm 22.05 to 26.05 print this form. Returns nothing for any other line.
std::optional<Start> parse_start(std::string_view line);

// Runs srun or sbatch with --test-only, which prints when and where the job would start. SLURM_TIME_FORMAT=standard
// gives the time in the form that has_to_wait() reads. If the version of srun requires a program, "true" is added.
// Otherwise it is not added, because the program and its arguments select the stored profile.
CommandOutput test_only(std::vector<std::string> words);

// Returns in how many seconds Slurm plans to start the job. A time in another form than YYYY-MM-DDTHH:MM:SS counts as
// now.
std::time_t seconds_until(const Start& start);

// Returns whether the job starts more than five seconds from now.
bool has_to_wait(const Start& start);

}  // namespace placement::tools

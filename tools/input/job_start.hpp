// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace placement::tools {

// When and where slurmctld would start a job.
struct Start {
  std::uint32_t job = 0;
  std::string time, processors, nodes, partition;
  std::time_t seconds = 0;  // from now until the start; 0 for a time in another form than YYYY-MM-DDTHH:MM:SS

  bool has_to_wait() const { return seconds > 5; }
};

// The answer of srun or sbatch to --test-only.
struct TestedStart {
  std::optional<Start> start;
  std::string other_lines;  // what it also prints on standard output and standard error
  int exit_code = 0;
};

// Runs srun or sbatch with --test-only, which prints when and where the job would start. If the version of srun
// requires a program, "true" is added. Otherwise it is not added, because the program and its arguments select the
// stored profile.
TestedStart test_only(std::vector<std::string> words);

}  // namespace placement::tools

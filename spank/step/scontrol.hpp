// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

namespace placement::spank {

// The output of a command of Slurm, and how the command ended.
struct CommandOutput {
  std::string text;
  int exit_code = 0;
  int signal = 0;  // that ended it; 0 if it ended by itself, and then with the exit code
};

// Runs a command of Slurm as the calling user: that of the installation that this plugin was built for, else the first
// one in PATH.
//   words        the name of the command, such as "srun", and its arguments
//   with_errors  whether the text has what the command prints on standard error, too; otherwise that is lost
// Throws Error if the command cannot be run or prints more than 256 MiB.
CommandOutput run_slurm_command(const std::vector<std::string>& words, bool with_errors);

// Runs scontrol with `arguments` as the calling user, and returns what it prints. The text of scontrol has one form
// in all versions of Slurm. The structures of libslurm differ between versions, for example for switches and for the
// cores of a job. Throws Error if scontrol cannot be run, fails, or prints more than 256 MiB.
std::string scontrol(std::initializer_list<const char*> arguments);

}  // namespace placement::spank

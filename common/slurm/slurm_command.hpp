// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/util/file_descriptor.hpp"

namespace placement {

// The output of a command of Slurm, and how the command ended.
struct CommandOutput {
  std::string text;
  int exit_code = 0;  // 128 + number of the signal if a signal ended the command
};

// Returns the path of a command. First choice: the directory of the running program, such as srun, because its commands
// fit the running libslurm. Second: ../bin from there, for slurmstepd in sbin. Third: SLURM_BINDIR. Otherwise returns
// the name alone.
std::string path_of_command(const std::string& command);

// Runs a command of Slurm as the calling user; path_of_command() finds the program. The destructor ends the command.
//
// Most questions go to scontrol, whose text has one form in all versions of Slurm. The structures of libslurm differ
// between versions, for example for switches and for the cores of a job.
class SlurmCommand {
 public:
  // Starts the command.
  //   words        the name of the command, such as "scontrol", and its arguments
  //   with_errors  true: the output includes standard error; false: only the Error of text() quotes it
  //   input        lines that the command reads on standard input
  // Throws Error if the command cannot be started.
  explicit SlurmCommand(std::vector<std::string> words, bool with_errors = false, const std::string& input = {});
  ~SlurmCommand();

  // Waits for the end of the command, and returns its output and exit code. Call it or text() once.
  CommandOutput output();

  // Waits for the command to end and returns its output. Throws Error if it fails. The Error quotes the first line of
  // standard error, without leading dashes. After an input, it quotes the last lines of standard error and the input.
  std::string text();

 private:
  int wait();

  std::vector<std::string> words_;
  std::string last_input_;
  FileDescriptor from_, errors_;
  pid_t child_ = -1;  // -1: the command has ended
};

// Returns the value of a line "NAME = VALUE" of "scontrol show config"; empty if there is none.
std::string_view config_value(std::string_view configuration, std::string_view name);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <signal.h>

#include <string>

#include "common/policy/config.hpp"

namespace placement {

// What placement-agent and placement-monitor are alike in as programs.

// Exit codes, as placectl has them.
inline constexpr int daemon_failed = 1;
inline constexpr int daemon_bad_usage = 2;
inline constexpr int daemon_runs_already = 3;

// The options of one of them besides --slurm-conf, --help and --version.
struct DaemonHelp {
  const char* program = nullptr;
  const char* text = nullptr;           // of --help
  const char* name_option = nullptr;    // of which node or host this is, with an argument
  char name_letter = 0;
  const char* switch_option = nullptr;  // without an argument
};

struct DaemonOptions {
  std::string slurm_conf;  // empty: where Slurm looks for it
  std::string name;        // empty: this host's
  bool switched = false;
};

// Returns the code to exit with, or -1 to go on. What is wrong, or wanted, is written.
int read_daemon_options(const DaemonHelp& help, int argc, char** argv, DaemonOptions& options);

// The signals that end a daemon.
sigset_t stop_signals();

// Blocks these, and ignores SIGPIPE: they are read from a descriptor, or waited for.
void block_signals(const sigset_t& signals);

// The placement.conf beside this slurm.conf, after a look at whose both files are. For a process that is root still:
// nothing of somebody else's is read. Throws Error.
Config read_daemon_config(const std::string& slurm_conf);

}  // namespace placement

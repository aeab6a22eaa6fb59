// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <signal.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"

namespace placement::protocol {

// The parts that the programs placement-agent and placement-monitor have in common.

// Exit codes. In placectl, 1 and 2 have this meaning too, and 3 is an internal error.
inline constexpr int daemon_failed = 1;
inline constexpr int daemon_bad_usage = 2;
inline constexpr int daemon_runs_already = 3;

// Describes the options of one daemon, in addition to --slurm-conf, --help and --version, which both daemons have.
struct DaemonHelp {
  const char* program = nullptr;
  const char* text = nullptr;           // the output of --help
  const char* name_option = nullptr;    // the option that names this node or host; it takes an argument
  char name_letter = 0;                 // the short form of name_option
  const char* switch_option = nullptr;  // an option without an argument
};

struct DaemonOptions {
  std::string slurm_conf;  // path of slurm.conf; empty: where Slurm looks for it
  std::string name;        // argument of name_option; empty: this host's name
  bool switched = false;   // whether switch_option was given
};

// The main function of both daemons. Reads the command line: help, version or an error end it. Then it ignores SIGPIPE,
// and blocks SIGCHLD and the signals `stops` that end a daemon (SIGTERM and SIGINT). It then calls run(options, stops).
// Returns the exit code: that of run(), or daemon_failed if it throws an exception, which is logged.
int run_daemon(const DaemonHelp& help, int argc, char** argv, const std::function<void(const std::string&)>& log,
               const std::function<int(const DaemonOptions& options, const sigset_t& stops)>& run);

// Reads the placement.conf next to the file `slurm_conf`. First checks the owners of both files: the process may still
// be root and must not read a file that belongs to another user. Throws Error when a file is unsafe or not valid.
Config read_daemon_config(const std::string& slurm_conf);

// The data of placement.conf and slurm.conf for the start of a daemon. A key with a wrong value has its default.
struct DaemonFiles {
  Config config;
  SlurmHosts hosts;
};

// Reads both files. Logs each mistake of placement.conf. While slurm.conf is missing or wrong, or placement.conf cannot
// be read, it logs the reason once and tries again every 10 s. Returns nothing when one of the signals `stops` arrives
// meanwhile. Throws Error when a file is unsafe, as read_daemon_config() does.
std::optional<DaemonFiles> read_daemon_files(const std::string& slurm_conf, const sigset_t& stops,
                                             const std::function<void(const std::string&)>& log);

// A task that a daemon's loop repeats at an interval. Times are in seconds of a steady clock.
class Periodic {
 public:
  // `interval_s` is above 0. The task is due at once.
  explicit Periodic(double interval_s) : interval_s_(interval_s) {}

  // Returns whether the task is due at `now_s`. If so, the task is next due one interval later. The interval counts
  // from the time when it was due, or from `now_s` if it is late by more than half an interval.
  bool due(double now_s) {
    if (now_s < next_s_) return false;
    next_s_ = (now_s - next_s_ > interval_s_ / 2 ? now_s : next_s_) + interval_s_;
    return true;
  }
  // Makes the task due at `at_s` at the latest.
  void hurry(double at_s) { next_s_ = std::min(next_s_, at_s); }
  double next_s() const { return next_s_; }

 private:
  double interval_s_;
  double next_s_ = 0;
};

// Some settings of placement.conf concern the agents. They are set in one place, the file on the controllers, and a
// monitor sends them to each agent within its session. From the file of its own host, an agent reads only the keys that
// it needs to start (AgentDirectory) and to find a monitor (MonitorUser, MonitorPort).

// Returns the agents' settings in `config` as "Key=value" lines. A setting without a value has no line.
std::string agent_settings_text(const Config& config);

// Replaces the agents' settings in `config` with those in `text`, which agent_settings_text() wrote. A setting that
// `text` leaves out gets its default. Throws Error, and changes nothing, for another or a wrong setting.
void take_agent_settings(Config& config, std::string_view text);

}  // namespace placement::protocol

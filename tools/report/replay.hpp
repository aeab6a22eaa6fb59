// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/job_selection.hpp"
#include "sim/job_placement.hpp"
#include "sim/metrics.hpp"
#include "sim/past_occupancy.hpp"
#include "sim/pattern.hpp"
#include "tools/input/command_line.hpp"
#include "tools/report/state_replay.hpp"

namespace placement::tools {

// The log of the site's jobs, replayed. Jobs that are larger than the machine are left out.
struct SiteReplay {
  std::string log;        // where the jobs come from
  std::int64_t jobs = 0;  // of the log that fit the machine
  std::int64_t too_large = 0;
  std::string notes;         // what the reader left out or put right
  std::int64_t cores = 0;    // of the machine
  double communication = 0;  // assumed share of communication in the run time, 0 to 1
  std::string pattern;       // assumed matrices
  std::int64_t begin_s =
      0;  // of the log, seconds since 1970 for one of sacct; the times of `past` and `month` count from here
  bool local_clock =
      false;  // begin_s is a time of this host; of a log with written dates it is in the log's own time zone
  sim::PastOccupancy past;          // what the log tells of the site's machine
  sim::Replay month;                // all jobs under stock Slurm
  std::int64_t last_submit_us = 0;  // submission of the last of them; the machine drains after it
  std::vector<sim::LogJob>
      sample;  // the last jobs, which are replayed under each strategy; some other jobs fill the machine before
  std::vector<sim::Replay> replays;  // the first is stock Slurm
  std::vector<sim::Summary> summaries;
  std::vector<StateReplay> by_state;  // of the policies that go by the state of the cluster
};

// What the command line says of the replay.
struct ReplayRequest {
  std::vector<sim::Strategy> strategies;  // the first is stock Slurm
  sim::ReplayOptions options;
  std::int64_t most_jobs = 0;  // replayed under each strategy; 0: all
  std::string pattern;         // the word of --pattern
  sim::PatternSource patterns;
};

// Reads -s, -a, --pattern, --replay-jobs and --seed. Throws UsageError, and Error where matrices of --pattern cannot be
// read.
ReplayRequest read_replay_request(const CommandLine& line);

// What a replay knows of the state of the cluster.
struct StateOfCluster {
  const LiveState* live = nullptr;  // null: there is none
  std::string source;               // where `live` comes from, or why there is none
};

// By how many jobs the strategies are compared if the command line does not say.
inline constexpr std::int64_t default_replay_jobs = 4000;

// Replays the log of --sacct, or what sacct tells of the jobs since `since_s` (seconds since 1970), on the machine
// `view`, as `request` says. `conf` is the slurm.conf of its nodes, empty if none is known; `state` is what NLA and
// TOFA go by. Throws Error when there is no log, and sim::NoJobs when no job in it can be replayed.
SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ClusterView& view,
                       const std::string& conf, double since_s, const StateOfCluster& state, const Config& config);

}  // namespace placement::tools

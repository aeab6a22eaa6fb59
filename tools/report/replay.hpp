// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/live_state.hpp"
#include "sim/job_selection.hpp"
#include "sim/job_placement.hpp"
#include "sim/metrics.hpp"
#include "sim/past_occupancy.hpp"
#include "sim/pattern.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

// Jobs that were replayed under several strategies on one machine.
struct ReplayedJobs {
  std::vector<sim::LogJob> jobs;
  std::vector<sim::Replay> replays;  // the first is stock Slurm
  std::vector<sim::Summary> summaries;
};

// A policy that follows the state of the cluster, replayed next to stock Slurm. A log does not contain the state of its
// time, so one state holds for the whole replay.
struct StateReplay {
  std::string policy;
  std::string state;      // what the state is, for the reader of the report
  ReplayedJobs replayed;  // empty if there is no state for the policy
  std::string why_not;    // the reason for that
};

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
      0;  // start of the log, in seconds since 1970 for a log of sacct; times of `past` count from it
  bool local_clock = false;           // begin_s is a time of this host; a log with written dates has its own time zone
  sim::PastOccupancy past;            // the site's machine over the time of the log
  ReplayedJobs replayed;              // the last jobs; if others were left out, these fill the machine at the start
  std::vector<StateReplay> by_state;  // NLA and TOFA
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

// How many jobs are replayed by a state at most, the last ones: a decision by the state of many nodes takes long.
inline constexpr std::int64_t most_state_replay_jobs = 1000;

// Replays the log of --sacct, or what sacct prints of the jobs since `since_s` (seconds since 1970), on the machine
// `view`, as `request` says. `conf` is the slurm.conf of its nodes, empty if none is known. NLA is replayed by the load
// and network of `state`, TOFA by its outage probabilities, by which nodes fail at random, on the torus of TorusFile or
// on the switches. Throws Error when there is no log, and sim::NoJobs when no job in it can be replayed.
SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ClusterView& view,
                       const std::string& conf, double since_s, const StateOfCluster& state, const Config& config);

}  // namespace placement::tools

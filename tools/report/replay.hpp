// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "sim/metrics.hpp"
#include "sim/past_occupancy.hpp"
#include "tools/input/command_line.hpp"

namespace placement::tools {

struct ReportFacts;

// The site's jobs under one policy and under stock Slurm, in the same state of the cluster.
struct PolicyReplay {
  std::string policy;
  std::string state;    // source of the load, network or outage probabilities; empty: not used
  std::string why_not;  // why the policy was not replayed; empty: it was
  sim::Summary stock, own;
  sim::MeanInterval run, flow;  // time under stock divided by the time under the policy: run time, submission to end
};

// The log of the site's jobs. Jobs that are larger than the machine are left out.
struct SiteReplay {
  std::string log;             // source of the jobs
  std::int64_t jobs = 0;       // jobs of the log that fit the machine
  std::int64_t replayed = 0;   // number of the last jobs that were replayed; others fill the machine at the start
  std::int64_t too_large = 0;  // jobs larger than the machine
  std::string notes;           // what the reader left out or corrected
  std::int64_t cores = 0;      // of the machine
  double communication = 0;    // assumed share of communication in the run time, 0 to 1
  std::string pattern;         // assumed matrices
  std::int64_t begin_s = 0;    // start of the log; seconds since 1970 in a log of sacct. Times of `past` count from it
  bool local_clock = false;    // begin_s is a time of this host; a log with written dates has its own time zone
  sim::PastOccupancy past;     // the machine over the time of the log
  std::vector<PolicyReplay> policies;
};

// Options of the replay.
struct ReplayRequest {
  sim::ReplayOptions options;
  std::int64_t most_jobs = 0;  // replayed for each policy; 0: all
  std::string pattern;         // the word of --pattern
  sim::PatternSource patterns;
};

// Reads -a, --pattern, --replay-jobs and --seed. Throws UsageError, and Error if matrices of --pattern cannot be read.
ReplayRequest read_replay_request(const CommandLine& line);

// Replays the log of --sacct, or the output of sacct since facts.since_s, on the machine of `facts`. TREEMATCH uses
// only the topology, NLA the load and network of facts.state, and TOFA its outage probabilities. Nodes also fail at
// random by these, on the torus of TorusFile or on the switches. One state holds for the whole replay. Throws Error if
// there is no log, and sim::NoJobs if no job in it can be replayed.
SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ReportFacts& facts,
                       const Config& config);

}  // namespace placement::tools

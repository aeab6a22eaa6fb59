// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/decision.hpp"
#include "sim/failures.hpp"
#include "sim/job_log.hpp"
#include "sim/pattern.hpp"

namespace placement::sim {

// A job that a failure ends again after so many restarts is given up, and so is the next in the queue when so many
// nodes failed with no job running: not enough nodes are up at the same time.
constexpr std::int32_t most_restarts = 100;
constexpr std::int32_t most_idle_failures = 1000;

struct ReplayOptions {
  double communication = 0.3;  // a of [TM §7]: share of the run time spent communicating
  double share = 1.0;          // of jobs with two tasks or more that have a matrix
  StockRequest stock_request = StockRequest::nodes;
  bool whole_nodes = false;          // jobs do not share nodes
  bool full_start = false;           // other jobs fill the machine when the replay begins
  std::int32_t backfill_depth = 500; // waiting jobs looked at for backfill
  double backfill_interval_s = 0;    // between two looks; 0: whenever anything changes
  std::int32_t reservations = 1;     // of these, how many no other may delay: 1 is EASY
  double release_s = 0;              // from the end of a job until its cores are free for others
  double plan_margin_s = 0;          // with more reservations: what plans add to each requested time
  // A decision's time, charged to the job that it is for. With measured, what the policy really
  // took, so that two runs differ a little.
  bool charge_measured = false;
  double charge_stock_s = 0;         // each stock decision
  double charge_policy_s = 0.05;     // each decision of a policy, and for each task
  double charge_policy_task_s = 20e-6;
  std::int32_t effort = 0;           // of policies that have such a key, for jobs of effort_tasks or more; 0: theirs
  std::int32_t effort_tasks = 1024;
  double node_failures_per_hour = 0; // of each node
  std::vector<double> failures_per_hour_of_node;  // one per node in place of that; empty: all alike
  std::vector<PlannedFailure> planned_failures;   // by time; beside random ones
  double repair_hours = 4;
  std::uint64_t seed = 1;
};

struct JobOutcome {
  std::int64_t start_us = -1;  // since the begin of the window; -1: not started (of the last start)
  std::int64_t end_us = -1;    // -1: not ended
  std::int64_t run_us = 0;     // last start to end, decision included
  std::int64_t thinking_us = 0;
  double cost = 0;             // of communication; 0 without a matrix
  double ratio = 1;            // R of [TM §7]
  std::int32_t nodes = 0;
  std::int32_t switches = 0;   // leaf switches
  std::int32_t restarts = 0;
  bool given_up = false;       // failures never let it end: see most_restarts
  bool has_matrix = false;
  bool asked = false;          // the policy was asked
  bool refused = false;        // the policy fell back to the stock choice
};

// The machine at a moment; one each simulated hour, or each two, four and so on where there would be very many.
struct MachineSample {
  std::int64_t time_us = 0;
  std::int64_t busy_cores = 0;          // of jobs that run or whose release has not ended
  std::int64_t waiting_jobs = 0;
  std::int64_t largest_in_switch = 0;   // free cores: the largest job that one leaf switch could take
  std::int64_t largest_in_subtree = 0;  // the same of one subtree below the root
};

// What a replay has taken so far; one each twentieth of the jobs.
struct CostSample {
  std::int64_t ended_jobs = 0;
  std::int64_t ended_tasks = 0;
  double processor_s = 0;
};

struct Replay {
  std::string strategy;
  std::vector<JobOutcome> outcomes;  // one per job of the list
  std::vector<MachineSample> samples;
  std::vector<CostSample> costs;
  std::int64_t ended_jobs = 0;
  std::int64_t given_up_jobs = 0;
  std::int64_t makespan_us = 0;      // begin of the window to the last end, or to a job's last failure
  double busy_core_us = 0;           // of jobs from start to end, or to a failure, until then; with those that
                                     // filled the machine, without the release
  std::int64_t machine_cores = 0;
  std::int64_t simulated_us = 0;     // begin of the window to the last event
  double switch_room_core_us = 0;    // MachineSample::largest_in_switch summed over that time, at every change
  double subtree_room_core_us = 0;   // the same of largest_in_subtree
  std::int64_t node_failures = 0;
  double lost_core_us = 0;           // of jobs that had to start again, until then
  double processor_s = 0;            // time that the replay itself took on its core
  bool interrupted = false;
};

// What other threads may look at and set while a replay runs.
struct ReplayControl {
  std::atomic<std::int64_t> ended_jobs{0};
  const std::atomic<bool>* stop = nullptr;  // set: end soon, with what there is
};

// R of a job is its Machine::communication() over that of the stock choice in the same state of the machine;
// with `reference`, over what the same job had there (a replay of SLURM).
//
// Replays the jobs (by submit time) on the machine, all cores free: first come, first served, with
// EASY backfill on the requested times: a job may pass others if it does not delay the one that has
// waited longest, or those with a reservation. Times follow T' = (1 + R a - a) T [TM §7]; where load of others is known, computing takes longer,
// T' = (S (1 - a) + R a) T with S the slowdown over that of the stock choice. Jobs larger than the machine must not be
// among them. Deterministic unless charge_measured is set. Memory is O(jobs + cores). Throws Error on a job that would
// run longer than can be counted, and when the replay gets that far.
Replay replay(const Machine& machine, std::span<const LogJob> jobs, const Strategy& strategy,
              const PatternSource& patterns, const ReplayOptions& options, const Replay* reference = nullptr,
              ReplayControl* control = nullptr);

}  // namespace placement::sim

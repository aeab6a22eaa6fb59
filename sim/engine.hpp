// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/job_placement.hpp"
#include "sim/failures.hpp"
#include "sim/machine.hpp"
#include "sim/job_log.hpp"
#include "sim/pattern.hpp"

namespace placement::sim {

// The streams of random numbers of a replay. They are separate so that they do not influence each other.
enum class Stream : std::uint64_t { matrix = 1, share, fill, failure };

// Returns the random number at an index of a stream.
inline std::uint64_t number_of(std::uint64_t seed, Stream stream, std::size_t index) {
  return Random(Random(seed * 8 + static_cast<std::uint64_t>(stream)).next() + index).next();
}

// Turns a random number into a fraction from 0 to 1, without 1.
inline double fraction(std::uint64_t number) { return static_cast<double>(number >> 11) * 0x1p-53; }

// A job is given up when a failure ends it after most_restarts restarts. The first job of the queue is given up when
// most_idle_failures nodes have failed with no job running. Too few nodes are then up at one time for it to start.
constexpr std::int32_t most_restarts = 100;
constexpr std::int32_t most_idle_failures = 1000;

// The largest number of moments at which the free leaves of the machine are recorded, from the start of the replay.
constexpr std::size_t most_free_leaves = 1000;

// Which waiting jobs may pass others.
enum class Backfill {
  easy,   // easy_backfill(): those that do not delay the first job
  slurm,  // planned_backfill(): those that delay no job before them, as in Slurm's backfill plugin
};

// Options of a replay. Times are simulated times.
struct ReplayOptions {
  double communication = 0.3;  // a of [TM §7]: share of communication in the run time of jobs with a matrix, 0 to 1
  double share = 1.0;          // share of the jobs with two tasks or more that have a matrix, 0 to 1
  StockRequest stock_request = StockRequest::nodes;
  bool whole_nodes = false;  // jobs do not share nodes
  bool full_start = false;   // other jobs fill the machine when the replay begins
  // Number of waiting jobs that are examined for backfill, after the first one. A job array counts for at most the
  // number of its tasks that fit on the free cores, plus most_planned_tasks.
  std::int32_t backfill_depth = 500;
  double backfill_interval_s = 0;  // time from one backfill to the next; 0: a backfill at each event
  Backfill backfill = Backfill::easy;
  double release_s = 0;      // time from the end of a job until other jobs can use its cores
  double plan_margin_s = 0;  // time that backfill adds to the requested time of each waiting job
  // The time of a decision is charged to its job. If charge_measured is true, the processor time that a policy took is
  // charged, so that two runs differ slightly. Otherwise a policy is charged charge_policy_s and charge_policy_task_s
  // per task.
  bool charge_measured = false;
  double charge_stock_s = 0;            // charge for a decision without a policy
  double charge_policy_s = 0.05;        // for each decision of a policy
  double charge_policy_task_s = 20e-6;  // in addition, for each task of the job
  std::int32_t effort = 0;  // key `effort` for jobs of effort_tasks or more, if the policy has it; 0: default
  std::int32_t effort_tasks = 1024;
  double node_failures_per_hour = 0;              // mean number of random failures of each node
  std::vector<double> failures_per_hour_of_node;  // replaces node_failures_per_hour, one entry per node; may be empty
  std::vector<NodeFailure> planned_failures;      // sorted by time; happen in addition to random failures
  double repair_hours = 4;                        // time until a node is back after a random failure
  double free_leaves_interval_s = 0;              // time between two entries of Replay::free_leaves; 0: there are none
  std::uint64_t seed = 1;
};

// The course of one job. Times count from the start of the window.
struct JobOutcome {
  std::int64_t start_us = -1;            // time of the last start; -1: not started
  std::int64_t end_us = -1;              // -1: not ended
  std::int64_t run_us = 0;               // time from the last start to the end, with the charge for the decision
  std::int32_t asked = 0;                // number of starts for which the policy was called
  std::int64_t thinking_us = 0;          // processor time of the policy, summed over all starts
  std::int64_t longest_thinking_us = 0;  // processor time of the policy for one start, the longest of all
  double cost = 0;                       // Machine::communication(); 0 without a matrix
  double ratio = 1;                      // R of [TM §7]
  std::int32_t nodes = 0;                // nodes used
  std::int32_t switches = 0;             // leaf switches used
  std::int32_t restarts = 0;
  bool given_up = false;  // the job did not end because of failures: see most_restarts
  bool has_matrix = false;
  bool refused = false;  // the policy could not serve the job, so that the stock choice was used
};

// The state of the machine at one time. There is one sample for each of the first 100,000 simulated hours.
struct MachineSample {
  std::int64_t time_us = 0;
  std::int64_t busy_cores = 0;  // cores of jobs that run, and of ended jobs until their release
  std::int64_t waiting_jobs = 0;
  std::int64_t largest_in_switch = 0;   // most free cores below one leaf switch: the largest job that fits there
  std::int64_t largest_in_subtree = 0;  // most free cores in one subtree just below the root
};

// A job that filled the machine when the replay began.
struct FillJob {
  std::int32_t tasks = 0;
  std::int64_t end_us = 0;
  std::int64_t expected_us = 0;  // end by the requested time
};

// The results of a replay that its summary has, too.
struct ReplayTotals {
  std::string strategy;
  std::int64_t ended = 0;     // jobs that ended
  std::int64_t given_up = 0;  // jobs that did not end because of failures: see most_restarts
  std::int64_t node_failures = 0;
  std::string first_refusal;  // why the policy could not serve the first job that it refused; may be empty
  double replay_s = 0;        // processor time of the replay itself
  bool interrupted = false;   // the replay was ended early
};

// The result of a replay.
struct Replay : ReplayTotals {
  std::vector<JobOutcome> outcomes;  // one per job of the list
  std::vector<FillJob> fill;         // in the order in which they got their cores; empty without full_start
  std::vector<MachineSample> samples;
  std::vector<FreeLeaves> free_leaves;  // before jobs start at that time; at most most_free_leaves
  std::int64_t makespan_us = 0;         // time from the start of the window to the last end, or to a job's last failure
  double busy_core_us = 0;              // core time of jobs within the makespan, from start to end or failure. Includes
                                        // the jobs that filled the machine at the start, and excludes the release
  std::int64_t simulated_us = 0;        // time from the start of the window to the last event
  double switch_room_core_us = 0;       // integral of MachineSample::largest_in_switch over simulated_us
  double subtree_room_core_us = 0;      // integral of MachineSample::largest_in_subtree over simulated_us
  double lost_core_us = 0;              // core time from a start to a failure, summed over jobs that a failure ended
};

// Lets other threads watch and stop a replay.
struct ReplayControl {
  std::atomic<std::int64_t> ended_jobs{0};  // jobs that have ended or were given up
  const std::atomic<bool>* stop = nullptr;  // may be null; when it is set, the replay ends soon and returns its results
};

// Replays jobs, sorted by submit time, on an empty machine: first come, first served, with the backfill of
// ReplayOptions. The run time of a job is T' = (S (1 - a) + R a) T [TM §7]. R and S compare its placement with the
// stock choice: R is the ratio of communication, S that of the slowdown by the load of other programs. S is 1 if no
// load is known. `control` may be null. Memory is O(jobs + cores). Throws Error when a run time or the simulated time
// is too long to be counted.
Replay replay(const Machine& machine, std::span<const LogJob> jobs, const Strategy& strategy,
              const PatternSource& patterns, const ReplayOptions& options, ReplayControl* control = nullptr);

}  // namespace placement::sim

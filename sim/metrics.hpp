// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/engine.hpp"
#include "sim/statistics.hpp"

namespace placement::sim {

// What is measured of each job [TM §8], seconds but for stretch.
enum class Measure {
  flow,     // submit to end
  wait,     // submit to start
  run,      // start to end
  stretch,  // flow over the run time in the log, which is that under stock Slurm
};
constexpr Measure all_measures[] = {Measure::flow, Measure::wait, Measure::run, Measure::stretch};
std::string to_string(Measure measure);

// Which jobs count.
enum class JobGroup { all, with_matrix, without_matrix };
std::string to_string(JobGroup group);

// Jobs whose number of tasks lies in (tasks / 2, tasks].
struct SizeClass {
  std::int32_t tasks = 1;  // a power of two
  std::int64_t jobs = 0;
  double switches = 0;        // leaf switches spanned, mean
  double least_switches = 0;  // on an empty machine, mean
  double ratio = 1;           // R, mean over jobs with a matrix
};

struct Summary {
  std::string strategy;
  std::int64_t jobs = 0;
  std::int64_t ended = 0;
  std::int64_t with_matrix = 0;
  std::int64_t refused = 0;
  std::int64_t restarts = 0;
  std::int64_t given_up = 0;      // jobs that failures never let end
  std::int64_t node_failures = 0;
  double lost_core_hours = 0;     // of work that began anew after a failure
  double makespan_s = 0;
  double utilisation = 0;     // core time of running jobs within the makespan, of that of all cores; 1 at most
  MeanInterval measures[4];   // in the order of all_measures, all jobs that ended
  double mean_ratio = 1;      // R of jobs with a matrix
  double mean_gain = 0;       // 1 - run time / run time in the log, of jobs with a matrix
  double decision_ms = 0;     // processor time of a decision by the policy, mean
  double longest_decision_ms = 0;
  double replay_s = 0;        // processor time of the replay
  std::vector<SizeClass> sizes;
  double extra_switches = 0;      // mean over all jobs
  double largest_in_switch = 0;   // free cores, mean over simulated time, each state for as long as it held
  double largest_in_subtree = 0;
  bool interrupted = false;
};

Summary summarise(const Machine& machine, std::span<const LogJob> jobs, const Replay& replay);

// Jobs that ended in both replays.
PairedComparison compare(std::span<const LogJob> jobs, const Replay& first, const Replay& second, Measure measure,
                         JobGroup group);

// Mean over the jobs submitted in the first `hours`, one value per entry of hours.
std::vector<double> mean_by_window(std::span<const LogJob> jobs, const Replay& replay, Measure measure,
                                   std::span<const double> hours, JobGroup group = JobGroup::all);

// 1, 2, 5, 10, .. hours up to the last submit time, and that.
std::vector<double> window_hours(std::span<const LogJob> jobs);

}  // namespace placement::sim

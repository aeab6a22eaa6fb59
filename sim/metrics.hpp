// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sim/engine.hpp"

namespace placement::sim {

// A mean with its 90 % confidence interval by Student's t distribution. With fewer than two values there is no
// interval, and low and high are equal to the mean. Without values they are NaN.
struct MeanInterval {
  std::int64_t count = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double low = mean;   // lower end of the interval
  double high = mean;  // upper end of the interval

  bool has_interval() const { return count > 1; }
};

// Returns the mean of `values` with its confidence interval.
MeanInterval mean_interval(std::span<const double> values);

// Turns an interval of logarithms into one of the values, whose mean is then geometric.
MeanInterval raised(MeanInterval logarithms);

// Returns the quantile 0.95 of Student's t distribution, within 0.1 % of the tables. `degrees` of freedom, at least 1.
double student_t95(std::int64_t degrees);

// The comparison of a measure of jobs under two treatments.
struct PairedComparison {
  MeanInterval difference;  // first minus second; above 0 the second treatment has less
  MeanInterval ratio;       // first divided by second: geometric mean over the jobs for which both are above 0
};

// Returns the mean of all values with its 90 % confidence interval by the bootstrap over groups. Groups, such as the
// jobs of one user, are drawn with replacement `bootstrap_draws` times, because values in a group are similar. Entry k
// of `group_of` is the group of value k. Equal seeds give equal intervals. With fewer than two groups, low and high are
// equal to the mean.
inline constexpr int bootstrap_draws = 2000;
MeanInterval bootstrap_interval(std::span<const double> values, std::span<const std::uint32_t> group_of,
                                std::uint64_t seed);

// Compares the measures of jobs under two treatments. Entry k of each list belongs to job k; both lists have equal
// lengths.
PairedComparison compare_paired(std::span<const double> first, std::span<const double> second);

// The measures of a job [TM §8]. All but stretch are times in seconds.
enum class Measure {
  flow,     // time from submit to end
  wait,     // time from submit to the last start
  run,      // time from the last start to the end
  stretch,  // flow time divided by the run time in the log, which is the run time under stock Slurm
};
constexpr Measure all_measures[] = {Measure::flow, Measure::wait, Measure::run, Measure::stretch};
inline constexpr const char* measure_names[] = {"flow", "wait", "run", "stretch"};  // in the order of Measure
inline std::string to_string(Measure measure) { return measure_names[static_cast<int>(measure)]; }

// The jobs over which a measure is taken.
enum class JobGroup { all, with_matrix, without_matrix };
inline constexpr const char* group_names[] = {"all", "with matrix", "without matrix"};  // in the order of JobGroup
inline std::string to_string(JobGroup group) { return group_names[static_cast<int>(group)]; }

// A mean over no jobs.
inline constexpr double of_no_job = std::numeric_limits<double>::quiet_NaN();

// The ended jobs with a number of tasks above tasks / 2 and up to `tasks`.
struct SizeClass {
  std::int32_t tasks = 1;  // a power of two
  std::int64_t jobs = 0;
  double switches = 0;        // mean number of leaf switches used
  double least_switches = 0;  // mean number of leaf switches needed on an empty machine
  double ratio = of_no_job;   // mean of R [TM §7] over the jobs with a matrix
};

// Counts and means of one replay. Means are over the jobs that ended.
struct Summary : ReplayTotals {
  std::int64_t jobs = 0;         // jobs of the list
  std::int64_t with_matrix = 0;  // ended jobs with a matrix
  std::int64_t refused = 0;      // ended jobs that the policy could not serve
  std::int64_t restarts = 0;     // restarts of all jobs
  double lost_core_hours = 0;    // core hours of jobs from a start to a failure
  double makespan_s = 0;
  double utilisation = 0;         // core time of running jobs within the makespan divided by that of all cores, 0 to 1
  MeanInterval measures[4];       // in the order of all_measures
  double mean_ratio = of_no_job;  // mean of R [TM §7] over the jobs with a matrix
  double mean_gain = of_no_job;   // mean of 1 - run time / run time in the log, over the jobs with a matrix
  // Mean processor time of the policy for one start of an ended job, over the starts for which it was asked.
  double decision_ms = 0;
  double longest_decision_ms = 0;  // longest processor time of the policy for one start
  std::vector<SizeClass> sizes;
  double extra_switches = 0;      // mean number of leaf switches beyond those needed on an empty machine
  double largest_in_switch = 0;   // mean of MachineSample::largest_in_switch over the simulated time
  double largest_in_subtree = 0;  // mean of MachineSample::largest_in_subtree over the simulated time

  const MeanInterval& of(Measure measure) const { return measures[static_cast<int>(measure)]; }
};

// Summarises a replay of `jobs` on the machine.
Summary summarise(const Machine& machine, std::span<const LogJob> jobs, const Replay& replay);

// Compares a measure in two replays of one list of jobs, over the jobs of the group that ended in both.
PairedComparison compare(std::span<const LogJob> jobs, const Replay& first, const Replay& second, Measure measure,
                         JobGroup group);

}  // namespace placement::sim

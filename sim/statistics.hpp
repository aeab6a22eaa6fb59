// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>

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

}  // namespace placement::sim

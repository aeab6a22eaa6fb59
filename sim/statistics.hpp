// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

namespace placement::sim {

// A mean with its 90 % confidence interval by Student's t distribution. With fewer than two values, low and high are
// equal to the mean.
struct MeanInterval {
  std::int64_t count = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
};

MeanInterval mean_interval(std::span<const double> values);

// Returns the quantile 0.95 of Student's t distribution, within 0.1 % of the tables. `degrees` of freedom, at least 1.
double student_t95(std::int64_t degrees);

// The comparison of a measure of jobs under two treatments.
struct PairedComparison {
  MeanInterval difference;  // first minus second; above 0 the second treatment has less
  MeanInterval ratio;       // first divided by second: geometric mean over the jobs for which both are above 0
};

// Compares the measures of jobs under two treatments. Entry k of each list belongs to job k; both lists have equal
// lengths.
PairedComparison compare_paired(std::span<const double> first, std::span<const double> second);

}  // namespace placement::sim

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

namespace placement::sim {

// A mean with its 90 % confidence interval by Student's t; the interval is empty (low = high = mean)
// for fewer than two values.
struct MeanInterval {
  std::int64_t count = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
};

MeanInterval mean_interval(std::span<const double> values);

// Quantile 0.95 of Student's t, degrees of freedom from 1 on; within 0.1 % of the tables.
double student_t95(std::int64_t degrees);

// Two treatments of the same jobs: entry k of each belongs to job k.
struct PairedComparison {
  MeanInterval difference;  // first minus second: above 0, the second is less
  MeanInterval ratio;       // first over second: geometric mean, and its interval, of pairs above 0
};

// Both spans have the same length.
PairedComparison compare_paired(std::span<const double> first, std::span<const double> second);

}  // namespace placement::sim

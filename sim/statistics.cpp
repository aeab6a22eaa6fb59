// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "common/util/random.hpp"

namespace placement::sim {

double student_t95(std::int64_t degrees) {
  constexpr double table[] = {6.3138, 2.9200, 2.3534, 2.1318};
  if (degrees <= 4) return table[degrees < 1 ? 0 : degrees - 1];
  // Cornish-Fisher expansion around the normal quantile z (Abramowitz and Stegun, 26.7.5).
  constexpr double z = 1.6448536269514722;
  constexpr double z2 = z * z;
  const double n = static_cast<double>(degrees);
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + g1 / n + g2 / (n * n) + g3 / (n * n * n);
}

MeanInterval mean_interval(std::span<const double> values) {
  MeanInterval result;
  result.count = std::ssize(values);
  if (values.empty()) return result;
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  result.mean = result.low = result.high = sum / n;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double half = student_t95(result.count - 1) * std::sqrt(squares / (n - 1) / n);
  result.low -= half;
  result.high += half;
  return result;
}

MeanInterval raised(MeanInterval logarithms) {
  for (double* value : {&logarithms.mean, &logarithms.low, &logarithms.high}) *value = std::exp(*value);
  return logarithms;
}

MeanInterval bootstrap_interval(std::span<const double> values, std::span<const std::uint32_t> group_of,
                                std::uint64_t seed) {
  MeanInterval result;
  result.count = std::ssize(values);
  if (values.empty()) return result;
  std::map<std::uint32_t, std::pair<double, double>> sums;  // of each group: sum and number of its values
  double all = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto& [sum, count] = sums[group_of[k]];
    sum += values[k];
    count += 1;
    all += values[k];
  }
  result.mean = result.low = result.high = all / static_cast<double>(values.size());
  if (sums.size() < 2) return result;
  std::vector<std::pair<double, double>> groups;
  for (const auto& [group, sum] : sums) groups.push_back(sum);
  Random random(seed);
  std::vector<double> means;
  for (int draw = 0; draw < bootstrap_draws; ++draw) {
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const auto& [part, number] =
          groups[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(groups.size())))];
      sum += part;
      count += number;
    }
    means.push_back(sum / count);
  }
  std::sort(means.begin(), means.end());
  result.low = means[bootstrap_draws / 20];
  result.high = means[bootstrap_draws - 1 - bootstrap_draws / 20];
  return result;
}

PairedComparison compare_paired(std::span<const double> first, std::span<const double> second) {
  std::vector<double> differences;
  std::vector<double> logarithms;
  for (std::size_t k = 0; k < first.size(); ++k) {
    differences.push_back(first[k] - second[k]);
    if (first[k] > 0 && second[k] > 0) logarithms.push_back(std::log(first[k] / second[k]));
  }
  return {mean_interval(differences), raised(mean_interval(logarithms))};
}

}  // namespace placement::sim

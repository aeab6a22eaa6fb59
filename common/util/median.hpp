// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

namespace placement {

// Returns the median of `values`, which are at least one and not NaN. For an even number of values, returns the upper
// one of the two in the middle. Changes the order of the values.
template <typename Value>
Value upper_median(std::span<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the median of `values`, which are at least one and not NaN. For an even number of values, returns the mean of
// the two in the middle. Changes the order of the values.
inline double median(std::span<double> values) {
  const double upper = upper_median(values);
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2))) /
         2;
}

}  // namespace placement

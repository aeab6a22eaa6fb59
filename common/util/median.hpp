// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

namespace placement {

// Returns the median of `values`, at least one and none of them NaN. For an even number of values, returns the upper
// one of the two in the middle. Changes the order of the values.
template <typename Value>
Value upper_median(std::span<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// As upper_median(), but for an even number of values returns the mean of the two in the middle.
inline double median(std::span<double> values) {
  const double upper = upper_median(values);
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2))) /
         2;
}

}  // namespace placement

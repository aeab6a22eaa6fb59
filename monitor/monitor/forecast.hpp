// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>

#include "common/state/live_state.hpp"

namespace placement::monitor {

// Forecasts the next value of a series [NLA §10]. Each predictor makes a forecast before each value arrives. That with
// the least recent errors is used, as in the Network Weather Service. An object has only a hundred bytes.
class Forecast {
 public:
  using Predictor = placement::Predictor;
  static constexpr std::size_t predictors = 4;
  static constexpr std::size_t window = 9;  // number of values in the mean and the median

  // Adds the next value. A value that is not finite is ignored.
  void add(double value);

  std::int64_t count() const { return count_; }  // number of values so far
  Predictor best() const;  // never `none`; with equal errors the median, which an outlier does not move
  double value() const { return predict(best()); }  // NaN before the first value
  // Returns the recent mean absolute error of the best predictor. NaN before the second value.
  double error() const { return error(best()); }
  double error(Predictor predictor) const;    // error() of any predictor except `none`
  double predict(Predictor predictor) const;  // the next value; NaN before the first one

 private:
  std::array<float, window> values_{};      // a ring; the latest value is at (count_ - 1) % window
  std::array<float, predictors> errors_{};  // mean absolute errors, in which old errors count less
  float ewma_ = 0;
  std::int32_t count_ = 0;
};

}  // namespace placement::monitor

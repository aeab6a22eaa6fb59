// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>

#include "common/state/live_state.hpp"

namespace placement {

// Foretells the next value of a series [NLA §10]: each predictor foretells each value before it comes,
// and the one whose errors were least, of late, is the one to ask, as the Network Weather Service does.
// About a hundred bytes, so that there may be one per measured pair.
class Forecast {
 public:
  using Predictor = placement::Predictor;
  static constexpr std::size_t predictors = 4;
  static constexpr std::size_t window = 9;  // values that mean and median look at

  // A value that is no finite number is passed over.
  void add(double value);

  std::int64_t count() const { return count_; }
  Predictor best() const;             // never none; with equal errors the median, which an outlier does not move
  double value() const { return predict(best()); }  // NaN before the first value
  // The mean error (absolute) of the best predictor, of late; NaN before the second value.
  double error() const { return error(best()); }
  double error(Predictor predictor) const;
  double predict(Predictor predictor) const;

 private:
  std::array<float, window> values_{};       // a ring, the latest at (count_ - 1) % window
  std::array<float, predictors> errors_{};   // means, old errors counting less
  float ewma_ = 0;
  std::int32_t count_ = 0;
};

}  // namespace placement

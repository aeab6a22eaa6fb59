// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "common/util/median.hpp"

namespace placement::monitor {

constexpr float ewma_weight = 0.3F;   // weight of the newest value
constexpr float error_weight = 0.1F;  // weight of the newest error

static std::size_t place_of(Predictor predictor) { return static_cast<std::size_t>(predictor) - 1; }

double Forecast::predict(Predictor predictor) const {
  if (count_ == 0) return unknown_value;
  const auto used = std::span(values_).first(static_cast<std::size_t>(std::min<std::int32_t>(count_, window)));
  switch (predictor) {
    case Predictor::last: return values_[static_cast<std::size_t>(count_ - 1) % window];
    case Predictor::mean: return std::accumulate(used.begin(), used.end(), 0.0) / static_cast<double>(used.size());
    case Predictor::median: {
      std::array<double, window> copy;
      std::ranges::copy(used, copy.begin());
      return median(std::span(copy).first(used.size()));
    }
    case Predictor::ewma:
    case Predictor::none: break;
  }
  return ewma_;
}

double Forecast::error(Predictor predictor) const {
  return count_ < 2 ? unknown_value : static_cast<double>(errors_[place_of(predictor)]);
}

Forecast::Predictor Forecast::best() const {
  Predictor best = Predictor::median;
  for (const Predictor predictor : {Predictor::mean, Predictor::ewma, Predictor::last})
    if (count_ >= 2 && errors_[place_of(predictor)] < errors_[place_of(best)]) best = predictor;
  return best;
}

void Forecast::add(double value) {
  if (!(std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) return;
  const auto rounded = static_cast<float>(value);
  for (std::size_t p = 0; p < predictors && count_ > 0; ++p) {
    const auto error = static_cast<float>(std::fabs(predict(static_cast<Predictor>(p + 1)) - value));
    // The first errors are averaged with equal weights.
    errors_[p] += std::max(error_weight, 1.0F / static_cast<float>(count_)) * (error - errors_[p]);
  }
  ewma_ += (count_ == 0 ? 1.0F : ewma_weight) * (rounded - ewma_);
  values_[static_cast<std::size_t>(count_) % window] = rounded;
  // Counts up, but before the type overflows it goes back by a multiple of the window.
  count_ = count_ < std::numeric_limits<std::int32_t>::max() - static_cast<std::int32_t>(window)
               ? count_ + 1
               : count_ + 1 - static_cast<std::int32_t>(window) * 1000000;
}

}  // namespace placement::monitor

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/pair_columns.hpp"

namespace placement {

// Differences below the error of measurement are no differences: of one series of measurements of all pairs, latency or
// bandwidth, what is beyond its error. A value within twice its error from the median of all is the median, any other one
// is drawn towards it by as much (soft thresholding; Donoho and Johnstone, Biometrika 81, 1994). Where errors are not
// known each value stays what it is.
class BeyondError {
 public:
  enum class Series : std::uint8_t { latency, bandwidth };

  // Values above `bound` count as the bound. `columns` outlives this. Throws Error at the deadline.
  BeyondError(const PairColumns& columns, Series series, double bound, const Deadline& deadline);

  // The pairs of one candidate.
  class Row {
   public:
    // With candidate v of group `group`, given what was measured of the pair; NaN: not known.
    double value(std::int32_t v, std::int32_t group, double measured) const {
      if (predictors_ == nullptr || !(measured >= 0)) return measured;
      const double value = std::min(measured, all_.bound_);
      // What no series of measurements told, as the model of the others has it, has no error of its own.
      if (predictors_[group] == Predictor::none) return value;
      // A few measurements tell an error badly: what is usual for both ends is the least that is believed.
      double error = (of_node_ + all_.of_node_[static_cast<std::size_t>(v)]) / 2;
      if (errors_[group] > error) error = static_cast<double>(errors_[group]);
      const double difference = value - all_.median_;
      return all_.median_ + std::copysign(std::max(0.0, std::fabs(difference) - times_error * error), difference);
    }

   private:
    friend class BeyondError;
    explicit Row(const BeyondError& all) : all_(all) {}

    const BeyondError& all_;
    double of_node_ = 0;
    const float* errors_ = nullptr;
    const Predictor* predictors_ = nullptr;  // null: no error is known, and no value changes
  };
  Row row(std::int32_t u) const;

 private:
  // A forecast's error is a mean of absolute values: to twice that nine values in ten keep.
  static constexpr double times_error = 2;

  const float* errors(std::int32_t node) const;
  void find_errors_of_nodes(const Deadline& deadline);
  void find_median(const Deadline& deadline);

  const PairColumns& columns_;
  const Series series_;
  const double bound_;
  double median_ = 0;
  std::vector<double> of_node_;  // the median error of each candidate's pairs; empty: no error is known
};

}  // namespace placement

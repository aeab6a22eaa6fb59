// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/pair_columns.hpp"

namespace placement::netload {

// Whether a difference between pairs within the error of measurement counts (BeyondError).
enum class WithinError : std::uint8_t { counts, counts_nothing };

// Removes differences within the error of measurement from one series of measurements of all pairs, latency or
// bandwidth. A value within twice its error of the median becomes the median. Any other value moves towards the median
// by twice its error (soft thresholding; Donoho and Johnstone, Biometrika 81, 1994). Without known errors, and with
// WithinError::counts, values do not change.
class BeyondError {
 public:
  enum class Series : std::uint8_t { latency, bandwidth };

  // Values above `bound` count as `bound`. `columns` must outlive this object. Throws Error at the deadline.
  BeyondError(const PairColumns& columns, Series series, double bound, WithinError within_error,
              const Deadline& deadline);

  // The pairs of one candidate. The BeyondError must outlive it.
  class Row {
   public:
    // Returns the adjusted value of the pair with candidate v.
    //   group     the group of v in the table
    //   measured  the value of the pair; NaN: not known
    double value(std::int32_t v, std::int32_t group, double measured) const {
      if (predictors_ == nullptr || !(measured >= 0)) return measured;
      const double value = std::min(measured, all_.bound_);
      // A value without a measurement, such as one of the model, has no error of its own.
      if (predictors_[group] == Predictor::none) return value;
      // After few measurements the error is unreliable. It is at least the usual error of the two nodes.
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
    const Predictor* predictors_ = nullptr;  // null: no error is known
  };
  // Returns the pairs of candidate u.
  Row row(std::int32_t u) const;

 private:
  // The error of a forecast is a mean of absolute values; about nine of ten values are within twice this error.
  static constexpr double times_error = 2;

  const float* errors(std::int32_t node) const;
  void find_errors_of_nodes(const Deadline& deadline);
  void find_median(const Deadline& deadline);

  const PairColumns& columns_;
  const Series series_;
  const double bound_;
  double median_ = 0;
  std::vector<double> of_node_;  // the median error of the pairs of each candidate; empty: no error is known
};

}  // namespace placement::netload

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/util/deadline.hpp"

namespace placement::netload {

// The columns of a table of pairs: its groups that contain candidate nodes, with the corrections of each node. In a
// table of single nodes each candidate is a column.
class PairColumns {
 public:
  PairColumns() = default;

  // Candidate c is node state_of[c] of the table; -1: without data. The table must outlive this object.
  PairColumns(const PairTable& table, std::span<const std::int32_t> state_of);

  std::int32_t nodes() const { return static_cast<std::int32_t>(group_of_.size()); }
  std::int32_t columns() const { return static_cast<std::int32_t>(group_.size()); }

  // Returns the candidates of a column, ascending. Column columns() has the candidates without a group.
  std::span<const std::int32_t> members(std::int32_t column) const { return members_[column]; }
  std::int32_t column_of(std::int32_t node) const { return column_of_[node]; }

  // Returns the group of a column in the table; -1 for column columns().
  std::int32_t group(std::int32_t column) const { return column < columns() ? group_[column] : -1; }
  // Returns the group of a candidate in the table; -1: without data.
  std::int32_t group_of(std::int32_t node) const { return group_of_[node]; }

  // Return one row of the table, indexed by group; null when the table does not have the attribute or the group is -1.
  const float* latency(std::int32_t group) const { return row(table_->latency_us, group); }
  const float* bandwidth(std::int32_t group) const { return row(table_->bandwidth_Bps, group); }
  const float* latency_error(std::int32_t group) const { return row(table_->latency_error_us, group); }
  const float* bandwidth_error(std::int32_t group) const { return row(table_->bandwidth_error_Bps, group); }
  const Predictor* latency_predictor(std::int32_t group) const { return row(table_->latency_predictor, group); }
  const Predictor* bandwidth_predictor(std::int32_t group) const { return row(table_->bandwidth_predictor, group); }

  // Returns whether there are corrections of nodes.
  bool has_terms() const { return !added_us_.empty(); }
  // Returns the latency in us that is added to each pair of the node; 0 without corrections.
  double added_us(std::int32_t node) const { return has_terms() ? added_us_[node] : 0; }
  // Returns the upper limit of the bandwidth of each pair of the node; infinite without corrections.
  double most_Bps(std::int32_t node) const {
    return has_terms() ? most_Bps_[node] : std::numeric_limits<double>::infinity();
  }

  // The measurements of one pair.
  struct Pair {
    double latency_us;
    double bandwidth_Bps;
  };
  // Returns the measurements between two groups of the table, without corrections; not known for group -1.
  Pair cell(std::int32_t a, std::int32_t b) const {
    Pair pair{unknown_value, unknown_value};
    if (a < 0 || b < 0) return pair;
    if (const float* const row = latency(a); row != nullptr) pair.latency_us = static_cast<double>(row[b]);
    if (const float* const row = bandwidth(a); row != nullptr) pair.bandwidth_Bps = static_cast<double>(row[b]);
    return pair;
  }
  // Returns the measurements of a pair with the corrections of both nodes. NaN or a value below 0: not known.
  Pair pair(std::int32_t u, std::int32_t v) const { return corrected(cell(group_of(u), group_of(v)), u, v); }
  // Returns the cell() of the groups of two nodes with the corrections of both.
  Pair corrected(Pair pair, std::int32_t u, std::int32_t v) const {
    if (!has_terms()) return pair;
    if (pair.latency_us >= 0) pair.latency_us += added_us(u) + added_us(v);
    if (pair.bandwidth_Bps >= 0) pair.bandwidth_Bps = std::min({pair.bandwidth_Bps, most_Bps(u), most_Bps(v)});
    return pair;
  }

 private:
  template <typename Value>
  const Value* row(std::span<const Value> values, std::int32_t group) const {
    return group < 0 || values.empty() ? nullptr : values.data() + static_cast<std::size_t>(group) * table_->groups;
  }

  const PairTable* table_ = nullptr;
  std::vector<std::int32_t> group_of_;              // of each candidate; -1: none
  std::vector<std::int32_t> column_of_;             // of each candidate
  std::vector<std::int32_t> group_;                 // of each column, ascending
  std::vector<std::vector<std::int32_t>> members_;  // of each column
  std::vector<double> added_us_;                    // empty: no node has corrections
  std::vector<double> most_Bps_;
};

// The scale of the measurements of all pairs [NLA §3], required for NL of any pair. It reads each cell of the table
// once.
struct PairScale {
  // Larger values are limited to these bounds, so an extreme report of one node does not change the scale.
  double latency_bound = 0;    // in microseconds
  double bandwidth_bound = 0;  // in bytes per second

  std::int64_t known_pairs = 0;  // pairs with latency or bandwidth
  double mean_latency_us = 0;
  double worst_latency_us = 0;
  double mean_missing_Bps = 0;  // peak minus available bandwidth
  double peak_Bps = 0;          // the largest bandwidth of a pair
  double least_Bps = 0;         // the least bandwidth of a pair
};

// Returns the scale of all pairs. Throws Error at the deadline.
PairScale measure_pairs(const PairColumns& columns, const Deadline& deadline);

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
  struct Row {
    const BeyondError& all;
    const float* errors;                    // of the pairs with each group
    double of_node = 0;                     // the median error of the candidate's pairs
    const Predictor* predictors = nullptr;  // null: no error is known

    // Returns the adjusted value of the pair with candidate v.
    //   group     the group of v in the table
    //   measured  the value of the pair; NaN: not known
    double value(std::int32_t v, std::int32_t group, double measured) const {
      if (predictors == nullptr || !(measured >= 0)) return measured;
      const double value = std::min(measured, all.bound_);
      // A value without a measurement, such as one of the model, has no error of its own.
      if (predictors[group] == Predictor::none) return value;
      // After few measurements the error is unreliable. It is at least the usual error of the two nodes.
      double error = (of_node + all.of_node_[v]) / 2;
      if (errors[group] > error) error = static_cast<double>(errors[group]);
      const double difference = value - all.median_;
      return all.median_ + std::copysign(std::max(0.0, std::fabs(difference) - times_error * error), difference);
    }
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

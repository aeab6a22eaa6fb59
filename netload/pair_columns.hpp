// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// The groups of a table of pairs that have candidate nodes, its columns, and what each node adds of its own. On a
// table of single nodes each candidate is a column.
class PairColumns {
 public:
  PairColumns() = default;

  // Candidate c is node state_of[c] of the table, or -1 when nothing is known of it. The table outlives this.
  PairColumns(const PairTable& table, std::span<const std::int32_t> state_of);

  std::int32_t nodes() const { return static_cast<std::int32_t>(group_of_.size()); }
  std::int32_t columns() const { return static_cast<std::int32_t>(group_.size()); }

  // The candidates of a column, ascending; those of no column are the members of column columns().
  std::span<const std::int32_t> members(std::int32_t column) const {
    const auto at = static_cast<std::size_t>(column);
    return std::span(members_).subspan(static_cast<std::size_t>(begin_[at]),
                                       static_cast<std::size_t>(begin_[at + 1] - begin_[at]));
  }
  std::int32_t column_of(std::int32_t node) const { return column_of_[static_cast<std::size_t>(node)]; }

  // A column's group in the table, -1 of column columns(); likewise of a node.
  std::int32_t group(std::int32_t column) const {
    return column < columns() ? group_[static_cast<std::size_t>(column)] : -1;
  }
  std::int32_t group_of(std::int32_t node) const { return group_of_[static_cast<std::size_t>(node)]; }

  // One row of the table, by group; null where the table has no such attribute or the group is -1.
  const float* latency(std::int32_t group) const { return row(table_->latency_us, group); }
  const float* bandwidth(std::int32_t group) const { return row(table_->bandwidth_Bps, group); }
  const float* latency_error(std::int32_t group) const { return row(table_->latency_error_us, group); }
  const float* bandwidth_error(std::int32_t group) const { return row(table_->bandwidth_error_Bps, group); }
  const Predictor* latency_predictor(std::int32_t group) const { return row(table_->latency_predictor, group); }
  const Predictor* bandwidth_predictor(std::int32_t group) const { return row(table_->bandwidth_predictor, group); }
  bool has_errors() const { return !table_->latency_error_us.empty() || !table_->bandwidth_error_Bps.empty(); }

  // What a node adds to the latency of all its pairs, and what none of them exceeds.
  bool has_terms() const { return !added_us_.empty(); }
  double added_us(std::int32_t node) const { return has_terms() ? added_us_[static_cast<std::size_t>(node)] : 0; }
  double most_Bps(std::int32_t node) const {
    return has_terms() ? most_Bps_[static_cast<std::size_t>(node)] : std::numeric_limits<double>::infinity();
  }

  struct Pair {
    double latency_us;
    double bandwidth_Bps;
  };
  // As the table has it, the terms of both nodes included; NaN or below 0: not known.
  Pair pair(std::int32_t u, std::int32_t v) const;

 private:
  template <typename Value>
  const Value* row(std::span<const Value> values, std::int32_t group) const {
    return group < 0 || values.empty()
               ? nullptr
               : values.data() + static_cast<std::size_t>(group) * static_cast<std::size_t>(table_->groups);
  }

  const PairTable* table_ = nullptr;
  std::vector<std::int32_t> group_of_;   // of each candidate, -1: none
  std::vector<std::int32_t> column_of_;  // of each candidate
  std::vector<std::int32_t> group_;      // of each column, ascending
  std::vector<std::int32_t> begin_;      // of each column in members_
  std::vector<std::int32_t> members_;
  std::vector<double> added_us_;         // empty: no node has terms of its own
  std::vector<double> most_Bps_;
};

}  // namespace placement

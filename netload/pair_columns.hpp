// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"

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
  std::span<const std::int32_t> members(std::int32_t column) const {
    return members_[static_cast<std::size_t>(column)];
  }
  std::int32_t column_of(std::int32_t node) const { return column_of_[static_cast<std::size_t>(node)]; }

  // Returns the group of a column in the table; -1 for column columns().
  std::int32_t group(std::int32_t column) const {
    return column < columns() ? group_[static_cast<std::size_t>(column)] : -1;
  }
  // Returns the group of a candidate in the table; -1: without data.
  std::int32_t group_of(std::int32_t node) const { return group_of_[static_cast<std::size_t>(node)]; }

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
  double added_us(std::int32_t node) const { return has_terms() ? added_us_[static_cast<std::size_t>(node)] : 0; }
  // Returns the upper limit of the bandwidth of each pair of the node; infinite without corrections.
  double most_Bps(std::int32_t node) const {
    return has_terms() ? most_Bps_[static_cast<std::size_t>(node)] : std::numeric_limits<double>::infinity();
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
    return group < 0 || values.empty()
               ? nullptr
               : values.data() + static_cast<std::size_t>(group) * static_cast<std::size_t>(table_->groups);
  }

  const PairTable* table_ = nullptr;
  std::vector<std::int32_t> group_of_;              // of each candidate; -1: none
  std::vector<std::int32_t> column_of_;             // of each candidate
  std::vector<std::int32_t> group_;                 // of each column, ascending
  std::vector<std::vector<std::int32_t>> members_;  // of each column
  std::vector<double> added_us_;                    // empty: no node has corrections
  std::vector<double> most_Bps_;
};

}  // namespace placement::netload

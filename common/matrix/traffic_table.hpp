// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

// Collects the values of a matrix while it is read, before both directions of a pair become one amount.
class TrafficTable {
 public:
  // The table takes up to `max_entries` values.
  explicit TrafficTable(std::int64_t max_entries) : max_entries_(max_entries) {}

  // Adds the traffic from rank `from` to rank `to`. Drops zeros and traffic with itself. Returns false when it is full.
  bool add(std::int32_t from, std::int32_t to, long double value);
  std::int64_t max_entries() const { return max_entries_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(entries_.size()); }
  void reserve(std::size_t entries) { entries_.reserve(entries); }

  // Returns the matrix of `ranks` ranks, with both directions of each pair added. `full` states that the text has both
  // directions of every pair. If they are then equal for all pairs, each amount counts once and nothing is added. If
  // there are fractions, all values are multiplied by one power of ten: the smallest that makes them integers, or the
  // largest that keeps their sum below 2^62; values are then rounded. Fills the fields of `info` except format and
  // notes. Throws Error, whose text starts with `name`, when the traffic is too large for a matrix.
  CommMatrix finish(std::int32_t ranks, bool full, std::string_view name, MatrixInfo& info) &&;

 private:
  void scale(MatrixInfo& info);
  void sort_and_merge();
  bool drop_lower_half_if_equal(std::int32_t ranks);

  std::int64_t max_entries_;
  std::vector<CommEdge> entries_;    // a: from, b: to, weight: the value, or its integer part
  std::vector<long double> values_;  // of each entry; empty as long as all are integers
};

}  // namespace placement

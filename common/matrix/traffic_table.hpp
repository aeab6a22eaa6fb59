// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"
#include "common/util/decimal.hpp"

namespace placement {

// The values of a matrix as a reader meets them, before both directions become one.
class TrafficTable {
 public:
  // Refuses more than max_entries values.
  explicit TrafficTable(std::int64_t max_entries) : max_entries_(max_entries) {}

  // The diagonal and zeros are dropped. False when there are too many values.
  bool add(std::int32_t from, std::int32_t to, const Decimal& value);
  std::int64_t max_entries() const { return max_entries_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(entries_.size()); }
  void reserve(std::size_t entries) { entries_.reserve(entries); }

  // Both directions of a pair are added; when `full` is given (the text holds a full matrix) and both
  // directions are equal for all pairs, that one amount is the pair's. Fractions: all values are
  // multiplied by one power of ten, the smallest that makes them integers, or the largest that keeps
  // their sum below 2^62. Fills the fields of info but format. Throws Error that begins with name.
  CommMatrix finish(std::int32_t ranks, bool full, std::string_view name, MatrixInfo& info) &&;

 private:
  void scale(MatrixInfo& info);
  void sort_and_merge();
  bool drop_lower_half_if_equal(std::int32_t ranks);

  std::int64_t max_entries_;
  std::vector<CommEdge> entries_;        // a: from, b: to, weight: the digits of the value
  std::vector<std::int32_t> exponents_;  // empty as long as all are 0
};

}  // namespace placement

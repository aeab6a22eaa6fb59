// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/cost.hpp"

namespace placement {

// The traffic between two different ranks, both directions together.
struct CommEdge {
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int64_t weight = 0;  // bytes, messages or any other unit, > 0
};

// The communication matrix of an application [TM §4]: symmetric, sparse, without a diagonal.
// Memory is O(ranks + pairs). Rows are sorted by neighbour; the sum of all weights is < 2^63.
class CommMatrix {
 public:
  static constexpr std::int32_t max_ranks = 1 << 24;

  CommMatrix() = default;

  // Sums duplicates and both directions, drops the diagonal and zeros.
  // Throws Error when a rank is outside 0..ranks-1, a weight negative or the sum 2^63 or more.
  static CommMatrix from_edges(std::int32_t ranks, std::vector<CommEdge> edges);

  std::int32_t ranks() const { return static_cast<std::int32_t>(row_.size()) - 1; }
  std::int64_t pairs() const { return static_cast<std::int64_t>(neighbour_.size() / 2); }
  std::int64_t total_weight() const { return total_weight_; }  // over unordered pairs

  std::span<const std::int32_t> neighbours(std::int32_t rank) const {
    return {neighbour_.data() + row_[rank], neighbour_.data() + row_[rank + 1]};
  }
  std::span<const std::int64_t> weights(std::int32_t rank) const {
    return {weight_.data() + row_[rank], weight_.data() + row_[rank + 1]};
  }
  std::int64_t weight(std::int32_t a, std::int32_t b) const;  // 0 for a pair without traffic

  std::vector<CommEdge> edges() const;  // a < b, sorted

  // The matrix of groups: traffic summed between them, that inside one dropped.
  // group_of has one entry per rank, each in 0..groups-1.
  CommMatrix aggregated(std::span<const std::int32_t> group_of, std::int32_t groups) const;

  bool operator==(const CommMatrix&) const = default;

 private:
  std::vector<std::int64_t> row_{0};  // ranks + 1 offsets into the two below
  std::vector<std::int32_t> neighbour_;
  std::vector<std::int64_t> weight_;
  std::int64_t total_weight_ = 0;
};

}  // namespace placement

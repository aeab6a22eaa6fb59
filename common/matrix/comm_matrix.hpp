// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/cost.hpp"

namespace placement {

// The traffic between two different ranks `a` and `b`, with both directions added.
struct CommEdge {
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int64_t weight = 0;  // bytes, messages or any other unit, > 0
};

// The communication matrix of an application [TM §4]: symmetric, sparse, without a diagonal. Its memory is
// O(ranks + pairs). Each row is sorted by neighbour. The sum of the weights of all pairs is below 2^63.
class CommMatrix {
 public:
  static constexpr std::int32_t max_ranks = 1 << 24;

  CommMatrix() = default;

  // Returns the matrix of `ranks` ranks, 0..max_ranks, with the traffic of `edges`. Adds the weights of all edges
  // between two ranks, regardless of direction. Drops edges of weight 0 and from a rank to itself. Throws Error if the
  // number of ranks or a rank is out of range, if a weight is negative, or if the weights sum to 2^63 or more.
  static CommMatrix from_edges(std::int32_t ranks, std::vector<CommEdge> edges);

  std::int32_t ranks() const { return static_cast<std::int32_t>(row_.size()) - 1; }
  std::int64_t pairs() const { return static_cast<std::int64_t>(neighbour_.size() / 2); }
  std::int64_t total_weight() const { return total_weight_; }  // each pair counts once

  // Whether all pairs of ranks have equal traffic above 0. The cost of a mapping then depends only on its leaves.
  bool all_alike() const { return all_alike_; }
  // Returns the memory of the matrix, in bytes.
  std::size_t bytes() const {
    return row_.size() * sizeof row_[0] + neighbour_.size() * sizeof neighbour_[0] + weight_.size() * sizeof weight_[0];
  }

  // Returns the ranks that have traffic with `rank`, in ascending order.
  std::span<const std::int32_t> neighbours(std::int32_t rank) const {
    return {neighbour_.data() + row_[rank], neighbour_.data() + row_[rank + 1]};
  }
  // Returns the weights that belong to neighbours(rank), in its order.
  std::span<const std::int64_t> weights(std::int32_t rank) const {
    return {weight_.data() + row_[rank], weight_.data() + row_[rank + 1]};
  }
  // Returns the traffic between two ranks; 0 when they have none.
  std::int64_t weight(std::int32_t a, std::int32_t b) const;

  // Returns all pairs with traffic, sorted, with a < b in each.
  std::vector<CommEdge> edges() const;

  // Returns the matrix of groups of ranks: sums the traffic between groups and drops that within them. `group_of` has
  // the group of each rank, 0..groups-1. Throws Error when its length is not ranks() or a group is out of range.
  CommMatrix aggregated(std::span<const std::int32_t> group_of, std::int32_t groups) const;

  bool operator==(const CommMatrix&) const = default;

 private:
  std::vector<std::int64_t> row_{0};  // ranks + 1 offsets into neighbour_ and weight_
  std::vector<std::int32_t> neighbour_;
  std::vector<std::int64_t> weight_;
  std::int64_t total_weight_ = 0;
  bool all_alike_ = false;
};

}  // namespace placement

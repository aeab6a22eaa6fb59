// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/pair_columns.hpp"

namespace placement::netload {

// The scale of the measurements of all pairs [NLA §3], which must be known before NL of one pair can be computed. Each
// cell of the table is read once for it.
struct PairScale {
  // Larger values are limited to these bounds, so that an extreme report of one node does not change the scale.
  double latency_bound = 0;
  double bandwidth_bound = 0;

  std::int64_t known_pairs = 0;  // pairs with latency or bandwidth
  double mean_latency_us = 0;
  double worst_latency_us = 0;
  double mean_missing_Bps = 0;  // peak minus available bandwidth
  double peak_Bps = 0;          // the largest bandwidth of a pair
  double least_Bps = 0;         // the least bandwidth of a pair
};

// Lower bounds of the load between each column and each block of columns. Blocks have equal numbers of columns: about
// block_nodes nodes, or one column. The last block has the nodes without a column. The bound is the best latency and
// the best bandwidth, without the corrections of nodes.
class PairFloors {
 public:
  static constexpr std::int32_t block_nodes = 32;

  PairFloors() = default;
  // Determines the blocks. measure_pairs() sets the bounds.
  explicit PairFloors(const PairColumns& columns);

  std::int32_t columns_per_block() const { return per_block_; }
  std::int32_t blocks() const { return blocks_; }
  // Returns the block of a column; columns() of the table gives the last block.
  std::int32_t block_of(std::int32_t column) const { return column < columns_ ? column / per_block_ : blocks_ - 1; }
  // Returns the first column of a block.
  std::int32_t begin(std::int32_t block) const { return block + 1 < blocks_ ? block * per_block_ : columns_; }
  // Returns the column behind the last column of a block.
  std::int32_t end(std::int32_t block) const;

  // Each of the following returns the row of a column, with one entry for each block. When no pair is known, the
  // latency is infinite and the bandwidth is below 0.
  float* latency(std::int32_t column) { return latency_.data() + at(column); }
  float* bandwidth(std::int32_t column) { return bandwidth_.data() + at(column); }
  const float* latency(std::int32_t column) const { return latency_.data() + at(column); }
  const float* bandwidth(std::int32_t column) const { return bandwidth_.data() + at(column); }

 private:
  std::size_t at(std::int32_t column) const {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(blocks_);
  }

  std::int32_t columns_ = 0, per_block_ = 1, blocks_ = 0;
  std::vector<float> latency_, bandwidth_;
};

// Returns the scale of all pairs and sets the floors of their blocks. Throws Error at the deadline.
PairScale measure_pairs(const PairColumns& columns, PairFloors& floors, const Deadline& deadline);

}  // namespace placement::netload

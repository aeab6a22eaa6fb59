// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/pair_columns.hpp"
#include "netload/row_kernels.hpp"
#include "netload/weights.hpp"

namespace placement {

// What has to be known of all pairs before any of them can be judged [NLA §3], from one look at each cell.
struct PairScale {
  // What is above is cut off, so that one node that claims much more than others have does not move the scale.
  double latency_bound = 0;
  double bandwidth_bound = 0;

  std::int64_t known_pairs = 0;  // with latency or bandwidth
  double mean_latency_us = 0;
  double worst_latency_us = 0;
  double mean_missing_Bps = 0;  // of the peak
  double peak_Bps = 0;
  double least_Bps = 0;
};

// For each column and each block of columns what no pair between them can undercut. Blocks have the same number of
// columns, about block_nodes nodes or one column; the last one is of the nodes of no column. Where a block has many
// columns and nodes have no terms of their own there is one rough load for it, else the best latency and the best
// bandwidth before the terms of nodes.
class PairFloors {
 public:
  static constexpr std::int32_t block_nodes = 32;

  PairFloors() = default;
  explicit PairFloors(const PairColumns& columns);

  std::int32_t columns_per_block() const { return per_block_; }
  std::int32_t blocks() const { return blocks_; }
  std::int32_t padded_blocks() const { return stride_; }  // in memory, a multiple of floor_lanes
  std::int32_t block_of(std::int32_t column) const { return column < columns_ ? column / per_block_ : blocks_ - 1; }
  std::int32_t begin(std::int32_t block) const { return block + 1 < blocks_ ? block * per_block_ : columns_; }
  std::int32_t end(std::int32_t block) const;  // columns begin .. end - 1

  // Of each block. What is not known of any pair: infinite latency, bandwidth below 0.
  bool is_rough() const { return rough_; }
  float* rough(std::int32_t column) { return first_.data() + at(column); }
  float* latency(std::int32_t column) { return first_.data() + at(column); }
  float* bandwidth(std::int32_t column) { return second_.data() + at(column); }
  const float* rough(std::int32_t column) const { return first_.data() + at(column); }
  const float* latency(std::int32_t column) const { return first_.data() + at(column); }
  const float* bandwidth(std::int32_t column) const { return second_.data() + at(column); }

  RoughLoad measure;  // of the rough loads

 private:
  std::size_t at(std::int32_t column) const { return static_cast<std::size_t>(column) * static_cast<std::size_t>(stride_); }

  std::int32_t columns_ = 0, per_block_ = 1, blocks_ = 0, stride_ = 0;
  bool rough_ = false;
  std::vector<float> first_, second_;
};

// What all pairs have in common, and the floors of their blocks. Throws Error at the deadline.
PairScale measure_pairs(const PairColumns& columns, PairFloors& floors, const NlaWeights& weights,
                        const Deadline& deadline);

}  // namespace placement

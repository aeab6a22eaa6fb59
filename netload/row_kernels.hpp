// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>

namespace placement::netload {

// The two loops over all pairs of a large machine. They process several values at a time.

// Sums over pairs of one attribute. Each value counts with its weight. A value that is below 0 or NaN, or has the
// weight 0, does not count.
struct PairSums {
  double sum = 0;
  double known = 0;  // the sum of the weights
  float most = -1;
  float least = std::numeric_limits<float>::infinity();
};

// The parameters of the rough load of a pair, per_us * latency - per_Bps * bandwidth, from which PairFloors are made.
// Unknown values are replaced by unknown_us and unknown_Bps. Larger values are limited to bound_us and bound_Bps.
struct RoughLoad {
  float per_us = 0;
  float per_Bps = 0;
  float bound_us = 0;
  float bound_Bps = 0;
  float unknown_us = 0;
  float unknown_Bps = 0;
};

// A part of a row of cells, with its weights and results.
struct CellRow {
  const float* latency;
  const float* bandwidth;
  const float* weight;  // of each cell; null: each weight is 1
  float* of_block;      // output: the least rough load of each block
  float* of_cell;       // input and output: the minimum of the old value and the rough load
};

// Adds `blocks` blocks of `per_block` cells each to the sums; per_block is a multiple of kernel_lanes. It does not set
// latency.least.
inline constexpr std::int32_t kernel_lanes = 8;
void add_cells(PairSums& latency, PairSums& bandwidth, const CellRow& row, const RoughLoad& rough, std::int32_t blocks,
               std::int32_t per_block);

// Sets floor[b] = base[b] + max(0, times * rough[b] + more), a lower bound for the nodes of block b. `blocks` is a
// multiple of floor_lanes.
inline constexpr std::int32_t floor_lanes = 4;
void add_rough_floors(const double* base, const float* rough, double times, double more, double* floor,
                      std::int32_t blocks);

// The terms of the lower bounds that come from the best latency and the best bandwidth of each block and from the
// corrections of nodes. With added_us = own_added_us + added_us[b] and most_Bps the least of the two caps, floor[b] is
// base + per_us * min(latency + added_us, worst_us) + per_Bps * (peak - max(min(bandwidth, most_Bps), least_Bps)).
struct FloorTerms {
  const double* base;  // of each block
  const float* latency;
  const float* bandwidth;
  const double* added_us;
  const double* most_Bps;
  double own_added_us;
  double own_most_Bps;
  double per_us, per_Bps;
  double worst_us, peak_Bps, least_Bps;
};
// Sets floor[b] for each block by these terms. `blocks` is a multiple of floor_lanes.
void add_floors(const FloorTerms& terms, double* floor, std::int32_t blocks);

}  // namespace placement::netload

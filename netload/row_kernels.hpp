// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>

namespace placement {

// The two loops over all pairs of a large machine, several values at a time.

// What is summed up of one attribute of pairs: each value counts as many times as its weight says, a value of weight
// 0, below 0 or NaN not at all.
struct PairSums {
  double sum = 0;
  double known = 0;  // the sum of weights
  float most = -1;
  float least = std::numeric_limits<float>::infinity();
};

// A rough load of a pair, per_us * latency - per_Bps * bandwidth, from which PairFloors are made. What is not known
// counts as given here, and what is above a bound as the bound.
struct RoughLoad {
  float per_us = 0;
  float per_Bps = 0;
  float bound_us = 0;
  float bound_Bps = 0;
  float unknown_us = 0;
  float unknown_Bps = 0;
};

// A part of a row of cells, and what of it is counted.
struct CellRow {
  const float* latency;
  const float* bandwidth;
  const float* weight;  // of each cell; null: 1
  float* of_block;      // out: the least rough load of each block
  float* of_cell;       // in and out: becomes the least of what it was and the rough load
};

// Adds `blocks` blocks of `per_block` cells each, a multiple of kernel_lanes. Bandwidth has no `most`, latency no
// `least` of a meaning.
inline constexpr std::int32_t kernel_lanes = 8;
void add_cells(PairSums& latency, PairSums& bandwidth, const CellRow& row, const RoughLoad& rough, std::int32_t blocks,
               std::int32_t per_block);

// What no node of a block can undercut, from rough loads: base + times * rough + more.
inline constexpr std::int32_t floor_lanes = 4;
void add_rough_floors(const double* base, const float* rough, double times, double more, double* floor,
                      std::int32_t blocks);

// The same from the best latency and the best bandwidth of each block, and from what nodes add of their own:
// base + per_us * min(latency + added_us, worst_us) + per_Bps * (peak - max(min(bandwidth, most_Bps), least_Bps)).
struct FloorTerms {
  const double* base;       // of each block
  const float* latency;
  const float* bandwidth;
  const double* added_us;
  const double* most_Bps;
  double own_added_us;
  double own_most_Bps;
  double per_us, per_Bps;
  double worst_us, peak_Bps, least_Bps;
};
// `blocks` is a multiple of floor_lanes.
void add_floors(const FloorTerms& terms, double* floor, std::int32_t blocks);

}  // namespace placement

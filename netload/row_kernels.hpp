// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>

namespace placement {

// The two loops over all pairs of a large machine, eight values at a time. In both, values below 0 and NaN are not
// known, and what is above the bound counts as the bound.

struct RowSums {
  double sum = 0;
  std::int64_t known = 0;
  float most = -1;
  float least = std::numeric_limits<float>::infinity();
};

// Adds the values of one row. Each lane sums some hundred values, for which single precision does.
void add_to_sums(RowSums& sums, const float* value, std::int32_t count, float bound);

// What add_rows() does with one attribute of a pair.
struct PairTerm {
  const float* value;  // one per node
  float bound;
  float unknown;  // in place of what is not known
  float factor;
};

inline constexpr std::size_t row_block = 32;

// sum[u] = base[u] + a.factor * a.value[u] + b.factor * b.value[u], and for each block of row_block nodes the least
// sum. `least` has an entry for each block, the last one for a shorter block too.
void add_rows(std::span<const float> base, const PairTerm& a, const PairTerm& b, std::span<float> sum,
              std::span<float> least);

}  // namespace placement

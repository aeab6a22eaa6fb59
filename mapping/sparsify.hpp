// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/matrix/comm_matrix.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Returns a matrix with at most ranks * (pairs_per_rank + 1) pairs whose cuts are close to those of `matrix`. Let t be
// the total weight over ranks * pairs_per_rank, rounded up, at least 1. A pair of weight t or more is kept. The lighter
// pairs of each rank with higher ranks are visited in order. Whenever the sum of their weights passes t, the last pair
// is kept with weight t. This changes the traffic of a rank by less than 2 t. On average over the starts of the sums,
// it preserves the weight of each pair.
//   matrix          a total weight of 2^61 or more is divided by 4 first
//   pairs_per_rank  at least 1
//   seed            of the starts of the sums
// Throws OutOfTime.
CommMatrix sparsified(const CommMatrix& matrix, std::int32_t pairs_per_rank, std::uint64_t seed,
                      const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

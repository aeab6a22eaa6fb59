// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/matrix/comm_matrix.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Returns a sparse matrix with nearly the cuts of `matrix`: at most ranks * (pairs_per_rank + 1) pairs. Let t be the
// total weight over ranks * pairs_per_rank, rounded up, at least 1. Pairs of weight t or more are kept. Each rank adds
// up its lighter pairs with higher ranks. Whenever the sum passes t, the last pair is kept with weight t. The traffic
// of a rank changes by less than 2 t, and the mean weight of a pair over all seeds does not change. A total weight of
// 2^61 or more is divided by 4 first. Throws OutOfTime.
//   pairs_per_rank  at least 1
CommMatrix sparsified(const CommMatrix& matrix, std::int32_t pairs_per_rank, std::uint64_t seed,
                      const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

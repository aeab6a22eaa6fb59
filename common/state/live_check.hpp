// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/state/live_state.hpp"

namespace placement {

// The limits of a live state.
inline constexpr std::size_t max_live_nodes = 1 << 17;
inline constexpr std::int32_t max_pair_groups = 8192;
inline constexpr std::int64_t max_outages = 1000000000;

// Checks all that policies rely on, because the state may come from anywhere. Throws Error, with the node or the pair
// and the value, unless
// - the state keeps to the limits above, enumerations have one of their values, and numbers are NaN or in range
//   (live_range.hpp);
// - each node name is unique and has 1 to 255 printable characters without blanks;
// - without groups, the arrays of the pairs are empty; with groups, each node is in one of them, tables are symmetric
//   with groups x groups cells, and arrays per node are empty or have one value per node;
// - a pair of source `none` has neither latency nor bandwidth;
// - predictors and errors are symmetric and exist for all cells or for none; a cell without a predictor has no error.
void check_live_state(const LiveState& state);

}  // namespace placement

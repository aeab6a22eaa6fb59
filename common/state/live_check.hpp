// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/state/live_state.hpp"

namespace placement {

// The limits of a live state.
inline constexpr std::size_t max_live_nodes = 1 << 17;
inline constexpr std::int32_t max_pair_groups = 8192;
inline constexpr std::int64_t max_outages = 1000000000;

// Checks all that policies rely on, as the state may come from anywhere. Throws Error, with the node or the pair and
// the value, unless
// - the state keeps to the limits above;
// - each node name has 1 to 255 printable characters, no blanks, and occurs once;
// - each enumeration has one of its values;
// - each number is NaN or in the range of its kind (live_range.hpp);
// - the arrays of the pairs are empty if there are no groups;
// - otherwise each node is in one group, tables have groups x groups cells and are symmetric, and arrays per node are
//   empty or have one value per node;
// - a pair of source `none` has neither latency nor bandwidth;
// - predictors and errors exist for all cells or for none, and are symmetric; a cell without a predictor has no error.
void check_live_state(const LiveState& state);

}  // namespace placement

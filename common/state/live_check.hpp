// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/state/live_state.hpp"

namespace placement {

// The limits of a live state.
inline constexpr std::size_t max_live_nodes = 1 << 17;
inline constexpr std::int32_t max_pair_groups = 8192;
inline constexpr std::int64_t max_outages = 1000000000;

// Checks all values that policies rely on, because the state may come from anywhere. Sizes must be within the limits
// above, and numbers NaN or in range (live_state.hpp). Node names must be unique, printable and without blanks. If
// there are groups, each node is in one. The tables of pairs must be symmetric and complete. A pair of source `none`
// has no values, and a cell without a predictor has no error. Throws Error with the node or the pair and the value.
void check_live_state(const LiveState& state);

}  // namespace placement

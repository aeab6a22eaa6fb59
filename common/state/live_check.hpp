// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/state/live_state.hpp"

namespace placement {

inline constexpr std::size_t max_live_nodes = 1 << 17;
inline constexpr std::int32_t max_pair_groups = 8192;
inline constexpr std::int64_t max_outages = 1000000000;
inline constexpr std::size_t max_estimators = 16;
inline constexpr std::size_t max_estimator_name = 16;
inline constexpr std::size_t max_estimator_sentence = 400;

// What policies may rely on, whoever wrote the state. Throws Error naming node or pair and value unless
// - names are of 1 to 255 printable characters without blanks, each one once;
// - enumerations have one of their values, a node at most max_outages;
// - each number is NaN or in the range of its kind (live_range.hpp), those of estimators are finite;
// - without groups no array of the pairs has a member; with groups each node is in one of them, the
//   tables have groups x groups cells and are symmetric, those per node are empty or have one per node;
// - a pair of source `none` has neither latency nor bandwidth;
// - predictors and errors are there for all cells or for none, symmetric as well; a cell without a predictor has no error;
// - estimators have names of 1 to 16 lower-case letters, each once, one of them is in use, and numbers that can be.
void check_live_state(const LiveState& state);

}  // namespace placement

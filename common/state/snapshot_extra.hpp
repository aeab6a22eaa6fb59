// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// What a snapshot of version 2 has behind that of version 1: which predictor each pair's values come from and
// its error, and how good the estimators of outages are. Policies do not go by it.
//   header (32 bytes) | four tables of the pairs, or none | a record per estimator | the sentence

// There is anything of that in the state; else it is written as version 1.
bool has_extra(const LiveState& state);

// For a place at a multiple of 64 bytes. The state is one that check_live_state() takes.
std::vector<std::byte> encode_extra(const LiveState& state);

// At most so many bytes for tables of so many cells.
std::size_t max_extra_bytes(std::size_t cells);

// Into the state, whose number of groups is known; tables point into the bytes. Throws Error without a name.
void decode_extra(std::span<const std::byte> bytes, LiveState& state);

}  // namespace placement

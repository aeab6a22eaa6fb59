// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// The parts that a snapshot of version 2 has behind those of version 1. They tell which predictor gives the values of
// each pair, with its error, and how good the estimators of outages are. Policies do not use them.
//   header (32 bytes) | four tables of the pairs, or none | a record per estimator | the sentence

// Returns whether the state has any of these parts. If not, it is written as version 1.
bool has_extra(const LiveState& state);

// Returns the bytes of these parts, to be placed at a multiple of 64 bytes. check_live_state() must accept the state.
std::vector<std::byte> encode_extra(const LiveState& state);

// Returns the largest number of bytes that encode_extra() writes for tables of `cells` cells.
std::size_t max_extra_bytes(std::size_t cells);

// Reads these parts from `bytes` into the state, in which pairs.groups must be set already. Tables point into `bytes`.
// Throws Error, without the name of a file, when the counts or the records are impossible.
void decode_extra(std::span<const std::byte> bytes, LiveState& state);

}  // namespace placement

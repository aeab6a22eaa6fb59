// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// Puts ranks with much traffic between them into groups of exactly `group_size` ranks (1 or more); one group may be
// smaller. Returns the group of each rank. Groups are numbered in the order of their lowest ranks. Throws Error when
// `group_size` is below 1. Takes O((P + E log E) log group_size) for P ranks and E pairs, and is deterministic.
std::vector<std::int32_t> group_ranks(const CommMatrix& matrix, std::int32_t group_size);

}  // namespace placement

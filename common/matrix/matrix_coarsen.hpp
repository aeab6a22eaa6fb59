// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// Puts ranks with much traffic between them into groups of exactly `group_size` ranks (1 or more); one group may be
// smaller. Returns the group of each rank. Groups are numbered in the order of their lowest ranks. Throws Error when
// `group_size` is below 1. Method: rounds of greedy heavy-edge matching double the size of the groups. Then any two
// groups that fit together are joined, those with the most traffic first. Finally the ranks of the groups that are not
// full are put in a row, and the row is cut into full groups. Takes O((P + E log E) log group_size) for P ranks and E
// pairs, and is deterministic.
std::vector<std::int32_t> group_ranks(const CommMatrix& matrix, std::int32_t group_size);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_wire.hpp"

namespace placement {

// Puts ranks with much traffic between them into groups of exactly `group_size` ranks (1 or more); one group may be
// smaller. Returns the group of each rank. Groups are numbered in the order of their lowest ranks. Throws Error when
// `group_size` is below 1.
// How: rounds of greedy heavy-edge matching double the groups. Then any two groups that fit together are joined,
// heaviest traffic first. At last the ranks of the groups that are not full are put in a row and cut into full groups.
// Takes O((P + E log E) log group_size) for P ranks and E pairs, and is deterministic.
std::vector<std::int32_t> group_ranks(const CommMatrix& matrix, std::int32_t group_size);

// Makes the matrix small enough to travel: the packed form must have at most `limit_bytes` bytes and keep to the
// default WireLimits. Returns the matrix itself when it fits. Otherwise returns a matrix of groups of
// `group_size_hint` ranks, or of twice, four times, .. as many ranks until it fits. The hint is best the number of
// ranks of a node; one below 2 counts as 2. Throws Error when not even one group of all ranks fits.
WireMatrix coarsen_to_fit(const CommMatrix& matrix, std::size_t limit_bytes, std::int32_t group_size_hint);

// Returns a matrix of ranks that stands for a matrix of groups, because mappers work on ranks. A matrix that is not
// coarsened is returned unchanged.
// The traffic of two groups becomes traffic of one pair of their ranks; the ranks of a group take turns. The ranks of
// a group are joined to a chain, so that a mapper keeps them together. Each link of a chain is heavier than all other
// traffic together, as far as the sum stays below 2^63. A cost that is computed with this matrix counts the links
// too. Takes O(ranks + pairs). Throws Error when a group without ranks has traffic.
CommMatrix expand_groups(const WireMatrix& wire);

}  // namespace placement

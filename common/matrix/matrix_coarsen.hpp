// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_wire.hpp"

namespace placement {

// Puts ranks that talk much together into groups of exactly group_size, the last one perhaps
// smaller; groups are numbered as their first ranks come. Rounds of greedy heavy-edge matching between
// groups, then a greedy joining of any two that fit; what is left of groups not full is strung
// together and cut anew. O((P + E log E) log group_size), deterministic.
std::vector<std::int32_t> group_ranks(const CommMatrix& matrix, std::int32_t group_size);

// The matrix itself when its packed form has at most limit_bytes (and the receiver's default limits
// admit it); else that of groups of group_size_hint ranks (2 at least; best the ranks of a node), or
// twice, four times .. as many until it fits. Throws Error when not even one group of all ranks fits.
WireMatrix coarsen_to_fit(const CommMatrix& matrix, std::size_t limit_bytes, std::int32_t group_size_hint);

// For mappers: a matrix of ranks again that stands for one of groups. What groups exchange goes between
// their ranks in turn, one pair of ranks for each pair of groups; the ranks of a group are chained, each
// link heavier than all other traffic together, as far as a sum below 2^63 allows. O(ranks + pairs). A
// matrix that is not coarse comes back as it is. Costs on the result count the links too.
CommMatrix expand_groups(const WireMatrix& wire);

}  // namespace placement

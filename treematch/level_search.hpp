// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/tree_map.hpp"

namespace placement {

// Chooses as many of the leaves `usable` as there are ranks, and places the ranks on them with few hop-bytes: first below
// the lowest vertices that have enough usable leaves, then level by level upwards as far as the scope in `options` admits
// (`subtree` or `whole`). The best mapping of each level is kept, so that a wider scope never costs more than a narrower
// one. `usable` is ascending and has at least one leaf per rank; the matrix has at least one rank and one pair.
// Where the deadline passes, the result is the best mapping found so far.
MapResult search_levels(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                        const MapOptions& options);

}  // namespace placement

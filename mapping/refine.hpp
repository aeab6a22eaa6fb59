// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "common/util/deadline.hpp"

namespace placement {

struct RefineOptions {
  std::uint64_t seed = 1;
  bool move_to_free = false;    // also to usable leaves that hold no rank; otherwise only swaps,
                                // which keep the number of ranks below every vertex of the tree
  std::int64_t work_limit = 0;  // units of work (about one edge visit each), 0: as much as pays
  Deadline deadline = Deadline::never();
};

// Improves a legal mapping: the answer is legal on the same usable leaves and never costs more.
// Without move_to_free it occupies the same leaves. Throws Error when the mapping is not legal.
std::vector<std::int32_t> refine(const CommMatrix& matrix, const TreeTopology& tree,
                                 std::span<const std::int32_t> usable,
                                 std::span<const std::int32_t> leaf_of_rank,
                                 const RefineOptions& options);

}  // namespace placement

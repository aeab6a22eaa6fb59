// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "common/util/deadline.hpp"

namespace placement::mapping {

// The limits of refine().
struct RefineOptions {
  // Whether ranks may also move to free usable leaves. Otherwise ranks only exchange leaves, which keeps the number of
  // ranks below every vertex of the tree.
  bool move_to_free = false;
  std::int64_t work_limit = 0;  // units of work, about one arc visited each; 0: an amount in proportion to the matrix
  Deadline deadline = Deadline::never();
};

// Improves a mapping by exchanges of leaves.
//   usable        leaves that may be taken, ascending without duplicates
//   leaf_of_rank  the mapping: one usable leaf per rank, all different
// Returns a mapping on usable leaves that costs no more hop-bytes. Without move_to_free it uses the leaves of
// leaf_of_rank. When the deadline passes, returns the mapping reached by then. Throws Error unless the arguments are as
// described.
std::vector<std::int32_t> refine(const CommMatrix& matrix, const TreeTopology& tree,
                                 std::span<const std::int32_t> usable, std::span<const std::int32_t> leaf_of_rank,
                                 const RefineOptions& options);

}  // namespace placement::mapping

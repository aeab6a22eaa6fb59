// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/subtree_classes.hpp"
#include "treematch/tree_map.hpp"

namespace placement {

// Limits of a request on the nodes that a mapping uses. Without `nodes` there are none.
struct MappingLimits {
  std::vector<NodeLimit> nodes;  // all nodes that may be used
  std::int32_t least_nodes = 1;  // number of nodes used, at least
  std::int32_t most_nodes = INT32_MAX;
  bool even = false;  // the used nodes take numbers of ranks that differ by at most 1
};

constexpr std::int32_t most_ranks_mapped_exactly = 16;

// A mapping with the least hop-bytes of all legal ones, by dynamic programming over the sets of ranks
// in each subtree: hop-bytes are the sum, over the links of the tree, of a link's length times the
// traffic that leaves the set of ranks below it. Takes about 3^ranks steps per class of subtrees.
//   usable     leaves that may be taken, ascending, at least one
//   scope      as in MapOptions; a subtree suffices where a mapping below it is legal
//   levels_up  as in MapOptions
//   work       limit in steps of about a nanosecond
//   narrower   unless null, a narrower scope is solved where the scope would take too much work; says whether it was
// Among equal mappings it returns one in which the ranks are close to each other, always the same one.
// Returns nothing when there are too many ranks, when the work would exceed its limit, or when no
// mapping is legal. Throws OutOfTime.
std::optional<std::vector<std::int32_t>> exact_mapping(const CommMatrix& matrix, const TreeTopology& tree,
                                                       std::span<const std::int32_t> usable, LeafScope scope,
                                                       std::int32_t levels_up, const MappingLimits& limits,
                                                       std::int64_t work, const WorkBudget& watch, bool* narrower = nullptr);

}  // namespace placement

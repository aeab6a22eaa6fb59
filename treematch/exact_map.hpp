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

namespace placement::treematch {

// Limits of a request on the nodes that a mapping uses. When `nodes` is empty, there are no limits.
struct MappingLimits {
  std::vector<NodeLimit> nodes;         // all nodes that may be used; each usable leaf lies below one of them
  std::int32_t least_nodes = 1;         // least number of nodes that a mapping uses
  std::int32_t most_nodes = INT32_MAX;  // largest number of nodes that a mapping uses
  bool even = false;                    // the used nodes take numbers of ranks that differ by at most 1
};

// Finds a mapping with the least hop-bytes of all legal ones, by dynamic programming over the sets of ranks in each
// subtree. Each link of the tree adds its length times the traffic that leaves the set of ranks below it to the
// hop-bytes. Cost: O(3^ranks) per distinct child; about half for each of up to `ranks` identical children.
//   usable     leaves that may be taken, ascending; at least one, with scope `given` at least one per rank
//   scope      the leaves among which it chooses; with `subtree`, below the lowest subtrees that have a legal mapping
//   levels_up  with scope `subtree`: the search is widened to the ancestors that are `levels_up` levels higher
//   limits     limits on the nodes used
//   work       largest number of steps, of one to two nanoseconds each. A step counts twice if nodes are counted or
//              sums exceed 64 bits
//   watch      time budget
//   narrower   may be null. Otherwise, if the scope needs more steps than `work` has left, a narrower scope is solved
//              and *narrower is set to true
// Returns one leaf per rank; among mappings of equal hop-bytes, one with ranks close to each other. The result is
// deterministic. Returns nothing when no mapping is legal, or with more than tuning::most_ranks_mapped_exactly ranks.
// Also returns nothing when more than `work` steps or 32 MB would be needed, or costs might exceed 128 bits. Throws
// OutOfTime.
std::optional<std::vector<std::int32_t>> exact_mapping(const CommMatrix& matrix, const TreeTopology& tree,
                                                       std::span<const std::int32_t> usable, LeafScope scope,
                                                       std::int32_t levels_up, const MappingLimits& limits,
                                                       std::int64_t work, const mapping::WorkBudget& watch,
                                                       bool* narrower = nullptr);

}  // namespace placement::treematch

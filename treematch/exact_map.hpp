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
// hop-bytes. Takes up to 3^ranks steps for each child that differs from its siblings, and half of that for each of up
// to `ranks` equal ones.
//   usable     leaves that may be taken, ascending; at least one, with scope `given` at least one per rank
//   scope      the leaves among which it chooses; with `subtree`, below the lowest subtrees that have a legal mapping
//   levels_up  with scope `subtree`: the search is widened to the ancestors that are `levels_up` levels higher
//   limits     limits on the nodes used
//   work       largest number of steps, of one to two nanoseconds each; a step counts twice where nodes are counted,
//   and
//              where sums do not fit into 64 bits
//   watch      time budget
//   narrower   may be null; otherwise a narrower scope is solved where the scope needs more steps than are left of
//              `work`. *narrower is set to true in that case and is not changed in the others
// Returns one leaf per rank. Among mappings of equal hop-bytes it returns one whose ranks are close to each other;
// equal arguments give the same mapping.
// Returns nothing when no mapping is legal, or when there are more than tuning::most_ranks_mapped_exactly ranks. It
// does so too when more steps than `work` or more memory than 32 MB would be needed, or when sums of weights times
// distances might not fit into 128 bits. Throws OutOfTime.
std::optional<std::vector<std::int32_t>> exact_mapping(const CommMatrix& matrix, const TreeTopology& tree,
                                                       std::span<const std::int32_t> usable, LeafScope scope,
                                                       std::int32_t levels_up, const MappingLimits& limits,
                                                       std::int64_t work, const mapping::WorkBudget& watch,
                                                       bool* narrower = nullptr);

}  // namespace placement::treematch

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

// Limits of a request on the nodes that a mapping uses. An empty list `nodes` means no limits.
struct MappingLimits {
  std::vector<NodeLimit> nodes;         // all nodes that may be used; each usable leaf lies below one of them
  std::int32_t least_nodes = 1;         // least number of nodes that a mapping uses
  std::int32_t most_nodes = INT32_MAX;  // largest number of nodes that a mapping uses
  bool even = false;                    // the used nodes take numbers of ranks that differ by at most 1
};

// Returns a leaf per rank with the least hop-bytes of all legal mappings; ties go to ranks close to each other. Cost:
// O(3^ranks) steps of 1 to 2 ns per distinct child. Returns nothing if no mapping is legal or costs might exceed 128
// bits. Also returns nothing above `work` steps, 32 MB or tuning::most_ranks_mapped_exactly ranks. Throws OutOfTime.
//   usable    leaves that may be taken, ascending, at least one; with scope `given` at least one per rank
//   scope     `subtree`: below the lowest subtrees with a legal mapping, or their ancestors `levels_up` levels higher
//   narrower  may be null; set to true when a narrower scope was solved, because the scope needed too many steps
std::optional<std::vector<std::int32_t>> exact_mapping(const CommMatrix& matrix, const TreeTopology& tree,
                                                       std::span<const std::int32_t> usable, LeafScope scope,
                                                       std::int32_t levels_up, const MappingLimits& limits,
                                                       std::int64_t work, const mapping::WorkBudget& watch,
                                                       bool* narrower = nullptr);

}  // namespace placement::treematch

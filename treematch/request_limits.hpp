// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"
#include "treematch/exact_map.hpp"

namespace placement::treematch {

// Returns the limits that a request sets to a mapping of its ranks on leaves: of a step, whose nodes are given, the
// number of ranks on each of them; of a job its limits on nodes.
//   capacity  number of ranks for which each node of the view has room
// Throws PlacementError when a job cannot be placed within them.
MappingLimits limits_of(const ClusterView& view, const Request& request, const mapping::NodeCounts& capacity);

// Returns the leaves that ranks may take within the limits, ascending; nothing when a vertex of the tree stands for
// more than a node.
std::optional<std::vector<std::int32_t>> usable_leaves(const ClusterView& view, const mapping::Slots& slots,
                                                       const MappingLimits& limits);

}  // namespace placement::treematch

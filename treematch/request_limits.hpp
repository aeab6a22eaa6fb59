// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"
#include "treematch/exact_map.hpp"

namespace placement::treematch {

// Returns the limits that a request sets to a mapping of its ranks on leaves: of a step, whose nodes are given, the
// number of ranks on each of them; of a job its limits on nodes.
//   capacity  number of ranks for which each node of the view has room
// Throws PlacementError when a job cannot be placed within them.
MappingLimits limits_of(const ClusterView& view, const Request& request, const mapping::NodeCounts& capacity);

}  // namespace placement::treematch

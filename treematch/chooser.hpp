// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Returns the options of the mapper that the parameters of a request ask for. Throws Error on a wrong value.
MapOptions options_of(const Request& request);

// Places one request on one view with few hop-bytes: chooses nodes and cores unless the request gives the tasks of each
// node, and a core for each rank. Throws PlacementError if the request does not fit, and Error if it contradicts
// itself.
Placement choose_by_hop_bytes(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::treematch

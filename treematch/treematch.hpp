// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// The policy TREEMATCH [TM §4-§6]: places ranks with much traffic few hops apart. Without a matrix, ranks fill the
// smallest sufficient subtree in the order of the tree. With request.node_tasks, only the ranks are mapped. Throws
// Error when a parameter is wrong or the request cannot be placed. Parameters in addition to `objective` and `effort`:
//   scope      allocation (TM-A, only with request.node_tasks), whole (TM-I) or subtree (TM-Isub+k, the default)
//   levels-up  k of TM-Isub+k, 0 to 64, 0 by default
//   seed       seed of the mapper, at least 0; default: request.seed
Placement place_treematch(const ClusterView& view, const Request& request, const Deadline& deadline);

// Returns the parameter `effort` of the request, the amount of search work; default 10. With less, large jobs take less
// time and get slightly worse mappings. Throws Error unless it is a number from 1 to 1000.
std::int32_t effort_parameter(const Request& request);

// Returns the parameter `scope`, LeafScope::subtree by default; the value allocation is LeafScope::given. Throws Error
// unless the value is allocation, subtree or whole.
LeafScope scope_parameter(const Parameters& parameters);

// Checks the parameters scope, levels-up, seed, objective and effort. Throws Error for a value that place_treematch()
// would reject.
void check_treematch(const Parameters& parameters);

// Returns the options of the mapper that the parameters of a request ask for. Throws Error on a wrong value.
MapOptions options_of(const Request& request);

// Places one request on one view with few hop-bytes. Chooses the cores of each rank, and the nodes unless the request
// gives the tasks of each node. Throws PlacementError if the request does not fit, and Error if it contradicts itself.
Placement choose_by_hop_bytes(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement::treematch

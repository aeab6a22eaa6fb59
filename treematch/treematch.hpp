// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// The policy TREEMATCH [TM §4-§6]. It chooses the nodes and cores together with the core of each rank, so that ranks
// with much traffic are few hops apart. Parameters of the request:
//   scope      allocation (TM-A: only ranks are placed, and a request for nodes is refused), whole (TM-I) or
//              subtree (TM-Isub, the default)
//   levels-up  k of TM-Isub+k, 0 to 64, 0 by default
//   seed       seed of the mapper, at least 0; by default that of the request
//   objective  hop-bytes (the default), balanced or worst-group: see Objective
//   effort     how much work the search may do, 1 to 1000, 10 by default; with less, jobs of some hundred tasks and
//              more take less time and get slightly worse mappings
// Without a matrix, ranks fill the nodes of the smallest sufficient subtree in the order of the tree. If
// request.node_tasks is given, the nodes and the number of tasks on each stay, and only the ranks are mapped.
// Throws Error when a parameter is wrong or when the request cannot be placed.
Placement place_treematch(const ClusterView& view, const Request& request, const Deadline& deadline);

// Returns the parameter `effort` of the request, 10 when it is not given. Throws Error unless it is a number from 1 to
// 1000.
std::int32_t effort_parameter(const Request& request);

// Returns the parameter `scope`, LeafScope::subtree when it is not given; LeafScope::given stands for allocation.
// Throws Error when its value is none of allocation, subtree and whole.
LeafScope scope_parameter(const Parameters& parameters);

// Checks the parameters scope, levels-up, seed, objective and effort. Throws Error when place_treematch() would refuse
// the value of one of them.
void check_treematch(const Parameters& parameters);

}  // namespace placement::treematch

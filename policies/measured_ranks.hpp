// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"
#include "netload/network_load.hpp"

namespace placement::policies {

// Maps the ranks to given nodes, so that ranks with much traffic are on one node or on nodes that are near by
// measurement. It exchanges ranks in several mappings: the natural order, the plan of the job, the greedy mapping up to
// tuning::most_pairs_mapped_quickly pairs, and, unless the deadline has passed, TREEMATCH's mapping. The best result
// is taken; ties go to fewer hop-bytes on the tree. Returns the leaf of each rank.
//   request, network  the request has a matrix; candidate n of the measured network is node n of the view
//   nodes, counts     the nodes with tasks; the number of tasks on each node of the view
std::vector<std::int32_t> leaves_by_measured_distance(const ClusterView& view, const Request& request,
                                                      const mapping::Slots& slots, const netload::NetworkLoad& network,
                                                      std::span<const std::int32_t> nodes,
                                                      const mapping::NodeCounts& counts, const Deadline& deadline);

// Returns the request for place_treematch(), with no parameter except `seed`.
Request for_tree(const Request& request);

}  // namespace placement::policies

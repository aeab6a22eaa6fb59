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
// measurement. Exchanges ranks in up to three mappings: the natural order and, before the deadline, the mapper's on the
// tree and the plan of the job. Ties go to fewer hop-bytes on the tree. Returns the leaf of each rank.
//   request  has a matrix
//   network  the measured network; its candidate n is node n of the view
//   nodes    the nodes with tasks
//   counts   the number of tasks on each node of the view
std::vector<std::int32_t> leaves_by_measured_distance(const ClusterView& view, const Request& request,
                                                      const mapping::Slots& slots, const netload::NetworkLoad& network,
                                                      std::span<const std::int32_t> nodes,
                                                      const mapping::NodeCounts& counts, const Deadline& deadline);

// Returns the request for place_treematch(), with no parameter except `seed`.
Request for_tree(const Request& request);

}  // namespace placement::policies

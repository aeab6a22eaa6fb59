// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/slots.hpp"
#include "netload/network_load.hpp"

namespace placement {

// A leaf for each rank: heavy pairs on the same node, or on nodes that are measured to be near. The ranks start in
// natural order and as the mapper on the tree has them, and are exchanged by `network`, one candidate of which
// is each node of the view. `nodes` are those with tasks, `counts` these. The request has a matrix.
std::vector<std::int32_t> leaves_by_measured_distance(const ClusterView& view, const Request& request,
                                                      const Slots& slots, const NetworkLoad& network,
                                                      std::span<const std::int32_t> nodes, const NodeCounts& counts,
                                                      const Deadline& deadline);

// The request as the mapper on the tree takes it: without the keys of another policy.
Request for_tree(const Request& request);

}  // namespace placement

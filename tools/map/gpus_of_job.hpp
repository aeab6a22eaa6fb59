// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/node_topology.hpp"

namespace placement::tools {

// Throws Error if the job does not have all GPUs of a node that has ranks, or a core of a rank. srun would then bind
// ranks wrongly. Unknown GPUs count as all; cores are not checked if leaves are hardware threads.
//   node    the inside of each node
//   view    has the nodes, with the cores and GPUs of the job
//   places  of the ranks
void check_gpus_of_job(const NodeTopology& node, const ClusterView& view, const std::vector<RankPlace>& places);

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/node_topology.hpp"

namespace placement::tools {

// Throws Error if the job does not have all GPUs of a node that has ranks, or a core of a rank. srun's lists of GPUs
// and CPUs would then bind ranks wrongly. Unknown GPUs count as all GPUs, and cores are not checked if the view has
// hardware threads as leaves.
//   node    the inside of each node
//   view    has the nodes, with the cores and GPUs of the job
//   places  of the ranks
void check_gpus_of_job(const NodeTopology& node, const ClusterView& view, const std::vector<RankPlace>& places);

}  // namespace placement::tools

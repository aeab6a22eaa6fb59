// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/node_topology.hpp"

namespace placement::tools {

// Throws Error where the job does not have all GPUs of a node that has ranks, or a core of a rank: srun's lists of GPUs
// and CPUs would then give ranks GPUs in common, and bind none of them. If the GPUs of the
// job on a node are not known, the job has all of them. The same holds if the view has another number of cores, because
// hardware threads are leaves.
//   node    the inside of each node
//   view    has the nodes, with the cores and GPUs of the job
//   places  of the ranks
void check_gpus_of_job(const NodeTopology& node, const ClusterView& view, const std::vector<RankPlace>& places);

}  // namespace placement::tools

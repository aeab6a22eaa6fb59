// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/node_topology.hpp"
#include "mapping/gpu_mapping.hpp"
#include "tools/input/command_line.hpp"
#include "tools/map/map_run.hpp"

namespace placement::tools {

// The GPUs of a node for `placectl map --node-topology`. All nodes of a job are assumed to be equal.
struct GpuTask {
  NodeTopology node;
  std::int32_t cores_per_rank = 1;
  std::int32_t threads_per_core = 1;  // hardware threads of each core that the CPU masks have

  // Set by map_ranks_to_gpus(). The i-th rank of each node has the i-th place, because srun has one list of GPUs and
  // one of CPUs for all nodes. natural_cost and natural_linked are those with ranks in the order of the cores.
  std::vector<std::int32_t> place_of_rank;  // its number among the ranks of its node, ascending
  mapping::GpuMapping mapping;              // of the places
  std::int64_t cost = 0, natural_cost = 0;  // the sum of traffic within nodes times gpu_costs()
  double linked = 0, natural_linked = 0;    // share of the traffic within nodes over direct links, 0 to 1
  bool has_traffic = false;                 // there is traffic within nodes

  std::int32_t gpus() const { return static_cast<std::int32_t>(node.gpus.size()); }
};

// Reads the inside of a node from the XML file that lstopo wrote on it, or from a description such as
// "package:2 core:8 pu:1". Throws Error, also where placectl was built without libhwloc.
NodeTopology read_node(const std::string& source);

// Reads the node from the options --node-topology, --gres-conf, --gres-node, --reserved-cores, --cores-per-task and
// --threads-per-core. Throws Error and UsageError.
//   node_name  the node that is looked up in gres.conf without --gres-node
//   machine    its nodes show which cores Slurm offers; without nodes only --reserved-cores counts
GpuTask read_gpu_task(const CommandLine& line, const std::string& node_name, const ClusterView& machine = {});

// Returns a machine of `nodes` nodes below one switch, with `gpus` leaves each, which stand for GPUs.
ClusterView machine_of_gpus(std::int32_t nodes, std::int32_t gpus);

// Removes leaves from `usable` so that no node of the view has more than `gpus` of them.
void leave_one_leaf_per_gpu(const ClusterView& view, std::int32_t gpus, std::vector<std::int32_t>& usable);

// Maps the ranks of each node to its GPUs, and writes their cores into `places`. Throws Error when a node has more
// ranks than GPUs, or another number of cores than the topology of the node.
void map_ranks_to_gpus(GpuTask& gpu, const CommMatrix& matrix, const ClusterView& view, bool has_real_nodes,
                       std::vector<RankPlace>& places);

// Throws Error if the job does not have all GPUs of a node that has ranks, or a core of a rank. srun would then bind
// ranks wrongly. Unknown GPUs count as all; cores are not checked if leaves are hardware threads.
//   node    the inside of each node
//   view    has the nodes, with the cores and GPUs of the job
//   places  of the ranks
void check_gpus_of_job(const NodeTopology& node, const ClusterView& view, const std::vector<RankPlace>& places);

}  // namespace placement::tools

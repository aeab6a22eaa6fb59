// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// A partition of a slurm.conf.
struct PartitionShape {
  std::string name;
  std::vector<std::string> nodes;  // in slurmctld's order
  std::string topology = {};       // Topology=, its topology in topology.yaml; empty: that of the cluster
};

// The nodes and partitions of a slurm.conf.
struct SlurmMachine {
  std::vector<NodeShape> nodes;
  std::vector<PartitionShape> partitions;  // in the order of their lines
};

// Returns the nodes of read_slurm_nodes() and the partitions, for tools. Names in Nodes= that are not nodes are left
// out. Functions such as switch{s1} (Slurm 24.11 and later) are replaced by their nodes in the topology file next to
// the slurm.conf. As in Slurm, a function has no nodes if its switch or node does not exist. Throws Error when a line
// is wrong, or when there is a function and the topology file cannot be read.
SlurmMachine read_slurm_machine(const std::string& slurm_conf_path);

}  // namespace placement

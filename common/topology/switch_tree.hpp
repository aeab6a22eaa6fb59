// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/topology/cluster_view.hpp"

namespace placement {

// A switch, its place in the tree of switches, and its nodes.
struct SwitchShape {
  std::string name;
  std::int32_t parent = -1;         // index of the switch above it; -1: none
  std::vector<std::int32_t> nodes;  // indices of the nodes that are attached directly to it
};

// A node and the numbers of its parts.
struct NodeShape {
  std::string name;
  std::int32_t sockets = 1;
  std::int32_t cores_per_socket = 1;
  std::int32_t threads_per_core = 1;
  std::int32_t cpus_per_core = 1;  // CPUs in Slurm's count: the threads of a core, or 1 where CPUs= counts cores
  std::string topology = {};  // Topology= of its NodeName line: TOPOLOGY:SWITCH or TOPOLOGY:BLOCK, several with commas
  std::string features = {};  // Features= of its NodeName line
  std::string hostname = {};  // of a slurm.conf: NodeHostname; without one, the name
  std::string address = {};   // of a slurm.conf: NodeAddr, or without one the hostname
  std::vector<bool> offered = {};  // per core: whether Slurm gives it to jobs; empty: it gives all
};

// Returns the view of a node whose first core is the leaf `first_leaf`. The cores that Slurm offers are free.
NodeView view_of_node(const NodeShape& shape, std::int32_t first_leaf);

// Returns a view of the machine as a tree of switches, nodes, sockets and cores, with all cores free that Slurm offers.
// Its nodes are in the order of `nodes`; `level_distance` is that of TreeTopology::from_parents(). A level without
// branches (one socket in every node, one root switch) is left out and adds no hops. A switch without a switch above it
// is the top of a fabric, and an extra root joins several fabrics. NodeView::fabric, numbered by the lowest node, shows
// which nodes a job can use together. A node on no switch has `no_fabric` if the machine has switches. Throws Error on
// no nodes, too many cores, a node under two switches, an index out of range, a cycle of switches, or a count below 1.
ClusterView view_of_switches(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance = {});

}  // namespace placement

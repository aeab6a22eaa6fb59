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
  // Successive cores that share a cache. It is used if the number of cores of a socket is a larger multiple of it.
  std::int32_t cores_per_cache = 0;
};

// Returns the view of a node whose first core is the leaf `first_leaf`. The cores that Slurm offers are free.
NodeView view_of_node(const NodeShape& shape, std::int32_t first_leaf);

// Returns a view of the machine as a tree of switches, nodes, sockets, caches and cores, in the order of `nodes`. All
// cores that Slurm offers are free. A level without branches is left out. Each top switch has a fabric of its own
// (NodeView::fabric, numbered by the lowest node), and an extra root joins several fabrics. A job can use the nodes of
// one fabric together. A node on no switch has `no_fabric` if there are switches. `level_distance` is that of
// TreeTopology::from_parents(). Throws Error on missing nodes, two switches over a node, a cycle of switches, or a
// number out of range.
ClusterView view_of_switches(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance = {});

}  // namespace placement

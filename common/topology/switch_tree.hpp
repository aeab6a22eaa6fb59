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
  // Number of successive cores that share a cache. Not used unless cores_per_socket is a multiple of it, and larger.
  std::int32_t cores_per_cache = 0;
};

// Returns the view of a node whose first core is the leaf `first_leaf`. The cores that Slurm offers are free.
NodeView view_of_node(const NodeShape& shape, std::int32_t first_leaf);

// Returns a view of the machine as a tree of switches, nodes, sockets, caches and cores, in the order of `nodes`. All
// cores that Slurm offers are free. A level without branches is left out. Each top switch has a fabric of its own
// (NodeView::fabric, numbered by the lowest node), and an extra root joins several fabrics. A job can use the nodes of
// one fabric together. If there are switches, a node without a switch has `no_fabric`. `level_distance` is that of
// TreeTopology::from_parents(). Throws Error on missing nodes, two switches over a node, a cycle of switches, or a
// number out of range.
ClusterView view_of_switches(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance = {});

// The most levels of switches that a file or Slurm may have. In a long chain or comb of switches, a node is below
// thousands of them, and a list of the nodes of each switch takes gigabytes.
inline constexpr std::int64_t most_levels = 64;

// A switch or block as Slurm keeps it: with all nodes below it, and without a parent.
struct SwitchRecord {
  std::string name;
  std::int64_t level = 0;          // larger than the level of each switch below it
  std::vector<std::string> nodes;  // the names of all nodes below the switch
};

// Returns switches as a forest over `nodes`. A node is attached to the lowest switch that names it, and a switch to the
// lowest switch above it. A node of several leaf switches belongs to the last of them. Among higher switches of one
// level with equal sets of nodes, the first is kept; in a fat tree, each root is above all leaves. A higher switch that
// shares nodes with others of its level gets only the nodes that they do not have. Names that are not among `nodes` are
// ignored, and so are switches without a node.
std::vector<SwitchShape> forest_of(std::vector<SwitchRecord> records, std::span<const NodeShape> nodes);

// Returns blocks of topology/block as forest_of() does. If they form several trees, one more block is added above all.
// A job larger than the largest block may have nodes of all blocks.
std::vector<SwitchShape> tree_of_blocks(std::vector<SwitchRecord> records, std::span<const NodeShape> nodes);

}  // namespace placement

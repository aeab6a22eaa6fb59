// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Reads topology files. placement.conf(5), TOPOLOGY FILES, describes their forms; the content decides the form.
// `level_distance` applies to files without distances, as in TreeTopology::from_parents(). Nodes that are not in
// slurm.conf are left out, and ClusterView::warning names them. All functions throw Error with file, line and value.

// A file that describes a machine. It may be a pipe, so it is read once.
struct MachineFile {
  std::string path;
  std::string text;
  std::string topology = "default";  // of a topology.yaml: name of the topology in `text` (YamlTopology::conf)
  std::string kind = {};             // of a topology.yaml: tree, block, flat, ring or torus3d
  std::string toruses = {};          // of a topology.yaml: YamlTopology::toruses
};

// Reads the topology file next to a slurm.conf. Throws Error if there is none.
using TopologyReader = MachineFile (*)(const std::string& slurm_conf);

// Reads a topology file, for tools. A file with Slurm's switches gives the nodes of the slurm.conf `slurm_conf` (empty:
// the one next to the file). A tree or tleaf file gives nodes only with `slurm_conf`; the leaves of the tree are then
// their cores, or the nodes.
ClusterView read_topology(const std::string& path, const std::string& slurm_conf = {},
                          std::span<const std::int64_t> level_distance = {});

// Returns read_topology() of a file that was read already. `read_topology` is passed to read_slurm_nodes().
ClusterView parse_topology(MachineFile file, const std::string& slurm_conf = {},
                           std::span<const std::int64_t> level_distance = {}, TopologyReader read_topology = nullptr);

// Returns the switches or blocks of a topology file over the nodes `nodes`, as forest_of() and tree_of_blocks() do.
// Returns none for a topology without switches, and for a tree or tleaf file, whose switches have no names. `warning`
// names the nodes of the file that are not among `nodes`.
std::vector<SwitchShape> parse_switches(MachineFile file, std::span<const NodeShape> nodes,
                                        std::string* warning = nullptr);

// Returns the path where "placectl topology --save" stores the user's own topology file of a cluster; empty without a
// home directory or the name of the cluster.
std::string own_topology(const std::string& cluster);

// Returns the view of the switches or blocks in `shown`, the output of "scontrol show topology". If Slurm has fewer
// than two, and own_topology() of `cluster` exists, the switches are those of this file, and the warning has its date.
ClusterView view_of_shown(std::string_view shown, std::span<const NodeShape> nodes, const std::string& cluster = {},
                          std::span<const std::int64_t> level_distance = {});

// Reads a topology file for a machine whose nodes are known. The leaves of a tree or tleaf file are the cores of
// `nodes` or the nodes themselves, in this order. Throws Error when the number of leaves fits neither.
ClusterView read_topology_of(const std::string& path, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance = {});

// Returns the view of read_topology_of() for a file that was read already.
ClusterView parse_topology_of(MachineFile file, std::span<const NodeShape> nodes,
                              std::span<const std::int64_t> level_distance = {});

}  // namespace placement

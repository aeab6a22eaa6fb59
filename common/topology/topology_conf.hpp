// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Reads a topology.conf, for tools; the plugins inside Slurm use Slurm's own tables. It describes a tree of switches,
// or blocks:
//
//   SwitchName=s0 Nodes=n[1-4] | Switches=s[1-2]    a switch may be below several others, as in a fat tree
//   BlockName=b1 Nodes=n[1-4]                       a block of nodes
//   BlockSizes=4,8                                  the size of a block in nodes, and the sizes of larger blocks:
//                                                   powers of two times the first. Default: all powers of two up
//                                                   to 16 times the nodes of the first block
//   BlockLevels=0-1,3                               Slurm 23.11's form of BlockSizes. It is ignored, because plugins do
//                                                   not see larger blocks in that version
//
// A larger block is made of successive blocks, in the order of their lines. At the end of the file it may have fewer
// blocks, but more than the next smaller size.

// Returns the switches of the topology.conf `text` and of the files that it includes as forest_of() does, or its blocks
// as tree_of_blocks() does. `name` is the name of the file. A name in Nodes= that is not among `nodes` is left out, as
// in Slurm; `warning` then names it. A node whose NodeShape::topology names a switch or block of the topology
// `topology` is attached there alone. A text without lines has no switches. Throws Error, with file and line, when a
// line is wrong, a switch is missing or given twice, or is above itself.
std::vector<SwitchShape> parse_topology_conf(std::string_view text, const std::string& name,
                                             std::span<const NodeShape> nodes, std::string* warning = nullptr,
                                             std::string_view topology = "default");

}  // namespace placement

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
//   BlockSizes=4,8                                  the size of a block in nodes, and those of larger blocks. Each of
//                                                   these is a power of two times the first; without this line there
//                                                   are all powers of two up to 16 times the first block's nodes
//   BlockLevels=0-1,3                               what Slurm 23.11 has in place of BlockSizes. Plugins do not see
//                                                   larger blocks there, so there are none here either
//
// A larger block is made of successive blocks, in the order of their lines. At the end of the file it may have fewer
// blocks, but more than the next smaller size.

// Returns the switches of a topology.conf, whose text is `text`, and of the files that it includes, over the nodes
// `nodes`, as forest_of() does, and blocks as tree_of_blocks() does. `name` is the name of the file. A name in Nodes=
// that is not among `nodes` is left out, as in Slurm; `warning` then names it. A node whose NodeShape::topology has a
// switch or block of the topology called `topology` is there and nowhere else. A text without lines has no switches.
// Throws Error, with file and line, when a line is wrong, on switches that do not exist or are given twice, and on a
// switch above itself.
std::vector<SwitchShape> parse_topology_conf(std::string_view text, const std::string& name,
                                             std::span<const NodeShape> nodes, std::string* warning = nullptr,
                                             std::string_view topology = "default");

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Reads a topology.conf, for tools; the plugins inside Slurm use Slurm's own tables. A switch may be below several
// others, as in a fat tree. Rings are switches that no switch joins. Blocks that follow each other form a larger block,
// by the sizes in BlockSizes=. By default these sizes are all powers of two up to 16 times the first block. The last
// larger block may be incomplete, but it has more blocks than the next smaller size. BlockLevels= is ignored: Slurm
// 23.11 hides larger blocks from plugins.

// Returns the switches or rings of the topology.conf `text` and of the files that it includes as forest_of() does, or
// its blocks as tree_of_blocks() does. `name` is the name of the file. A name in Nodes= that is not among `nodes` is
// left out, as in Slurm; `warning` then names it. A node whose NodeShape::topology names a switch, block or ring of the
// topology `topology` is attached there alone. A text without lines has no switches. Throws Error, with file and line,
// when a line is wrong, a switch is missing or given twice, or is above itself.
std::vector<SwitchShape> parse_topology_conf(std::string_view text, const std::string& name,
                                             std::span<const NodeShape> nodes, std::string* warning = nullptr,
                                             std::string_view topology = "default");

// Returns these switches, blocks or rings as Slurm keeps them: in the order of the file, then larger blocks, each with
// all nodes below it. A node may be below several leaf switches. Leaf switches, blocks and rings have level 0. Throws
// Error as parse_topology_conf() does.
std::vector<SwitchRecord> parse_topology_places(std::string_view text, const std::string& name,
                                                std::span<const NodeShape> nodes, std::string_view topology);

}  // namespace placement

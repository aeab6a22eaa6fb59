// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

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

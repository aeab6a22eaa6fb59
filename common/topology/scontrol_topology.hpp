// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Reads switches from the output of "scontrol show topology" of every version of Slurm, which has one per line:
//
//   SwitchName=s0 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=s[1-2]    of topology/tree; all nodes below the switch
//   BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4                of topology/block
//   AggregatedBlock=b[1-2] BlockIndex=0 Nodes=n[1-8] BlockSize=8      of topology/block; blocks that make a larger one
//
// Returns the switches as forest_of() does, and blocks as tree_of_blocks() does. Lines of other forms are ignored, so
// that a topology without switches gives none. Throws Error on a wrong list of nodes, and on a level or size that is no
// number.
std::vector<SwitchShape> parse_scontrol_topology(std::string_view text, std::span<const NodeShape> nodes);

}  // namespace placement

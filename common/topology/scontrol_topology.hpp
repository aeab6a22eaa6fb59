// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Switches as "scontrol show topology" prints them, one a line, in every version of Slurm:
//
//   SwitchName=s0 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=s[1-2]    of topology/tree; all nodes below the switch
//   BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4                of topology/block
//   AggregatedBlock=b[1-2] BlockIndex=0 Nodes=n[1-8] BlockSize=8      of topology/block; blocks that make a larger one
//
// The result is a forest: a node hangs on the lowest switch that names it, and a switch on the lowest switch above
// it. Of several switches at one level above the same switches, as in a fat tree with several roots, the first one
// is kept. Names that are not among `nodes` are left out; lines of other forms are ignored, so that a topology without
// switches gives none. Throws Error on a list of nodes that is none, and on a level or size that is no number.
std::vector<SwitchShape> parse_scontrol_topology(std::string_view text, std::span<const NodeShape> nodes);

}  // namespace placement

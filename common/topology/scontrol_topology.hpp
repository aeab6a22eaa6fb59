// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Returns the Key=value words of a line that scontrol prints with -o. If a key is repeated, its first value is used.
std::map<std::string_view, std::string_view> scontrol_pairs(std::string_view line);

// Reads switches or blocks from the output of "scontrol show topology" of every version of Slurm. Reads the lines with
// SwitchName=, BlockName=, RingName= or AggregatedBlock=, and ignores all other lines. Returns switches as forest_of()
// does, and blocks as tree_of_blocks() does. Throws Error on a wrong list of nodes, and on a level or size that is not
// a number.
std::vector<SwitchShape> parse_scontrol_topology(std::string_view text, std::span<const NodeShape> nodes);

}  // namespace placement

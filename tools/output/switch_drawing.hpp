// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/decision/decision.hpp"

namespace placement::tools {

// Returns the nodes of a job, or those that its policy chose, drawn on the switches or blocks above them. Each switch
// has a line, indented by its level, with its nodes and the policy's tasks. Returns no lines if no switch has a node of
// the job, the record is incomplete, or `topology` cannot be read. The drawing has at most 32
// lines; the last one may have the number of missing switches.
//   topology  output of "scontrol show topology"
std::vector<std::string> drawn_on_switches(const Decision& decision, std::string_view topology);

// Returns whether there are switches or blocks, but no drawing, because the record does not have all nodes.
bool lacks_nodes_to_draw(const Decision& decision, std::string_view topology);

// Returns the number of leaf switches or blocks that have a node of the host list `nodes`; 0 if this is not known.
std::size_t leaf_switches_of(const std::string& nodes, std::string_view topology);

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/decision/decision.hpp"

namespace placement::tools {

// Returns the nodes that a job was given, or else those that its policy chose, drawn on the switches or blocks above
// them: one line for each switch, indented by its level, with its nodes and, where these are the policy's, their tasks.
//   decision  of the job
//   topology  what "scontrol show topology" prints
// Returns no lines where no switch has a node of the job, where the record has not all of its nodes, and for a
// `topology` that cannot be read. More than 32 lines are cut, and the last then says how many are missing.
std::vector<std::string> drawn_on_switches(const Decision& decision, std::string_view topology);

// Returns whether there are switches or blocks, and nothing is drawn on them because the record has not all nodes.
bool lacks_nodes_to_draw(const Decision& decision, std::string_view topology);

// Returns the number of leaf switches or blocks that have a node of the host list `nodes`; 0 if this is not known.
std::size_t leaf_switches_of(const std::string& nodes, std::string_view topology);

}  // namespace placement::tools

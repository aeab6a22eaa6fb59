// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/decision/decision.hpp"
#include "tools/output/json.hpp"

namespace placement::tools {

// Returns the name of the decision's outcome, such as "nodes".
std::string_view outcome_name(const Decision& decision);

// Returns the decision as lines for a person. `component` is the name of the job as a component of a heterogeneous job,
// such as 42+1, or empty. `topology` is what "scontrol show topology" prints, for the drawing of the switches; or
// empty. `verbose`: with the policy's own reasons, in the words of its mapper.
std::string explained(const Decision& decision, const std::string& component, std::string_view topology,
                      bool verbose = false);

// Writes the decisions as a member that is a list of objects.
void decisions_json(JsonWriter& json, std::string_view name, std::span<const Decision> decisions);

}  // namespace placement::tools

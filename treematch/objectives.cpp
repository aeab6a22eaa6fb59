// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/objectives.hpp"

#include <string_view>

#include "common/util/error.hpp"

namespace placement::treematch {

Objective objective_parameter(const Parameters& parameters) {
  const auto found = parameters.find("objective");
  if (found == parameters.end() || found->second == "hop-bytes") return Objective::hop_bytes;
  if (found->second == "balanced") return Objective::balanced;
  if (found->second == "worst-group") return Objective::worst_group;
  throw Error("objective=" + found->second + ": expected hop-bytes, balanced or worst-group");
}

std::string idle_objective_note(const Parameters& parameters) {
  if (objective_parameter(parameters) == Objective::hop_bytes) return {};
  return "objective=" + parameters.at("objective") + " changes nothing without a matrix or a pattern";
}

void drop_claim(Placement& placement) {
  constexpr std::string_view claim = ", optimal";
  if (!placement.reasons.empty() && placement.reasons.front().ends_with(claim))
    placement.reasons.front() += " in hop-bytes";
  placement.optimal = false;
}

Placement place_by_objective(Objective objective, const ClusterView& view, const Request& request,
                             const Deadline& deadline, const PlaceByHopBytes& place) {
  if (objective == Objective::balanced) return place_balanced(view, request, deadline, place);
  if (objective == Objective::worst_group) return place_by_worst_group(view, request, deadline, place);
  return place(view, request);
}

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/treematch.hpp"

#include <string_view>

#include "common/util/error.hpp"
#include "mapping/node_choice.hpp"
#include "treematch/objectives.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

LeafScope scope_parameter(const Parameters& parameters) {
  const auto found = parameters.find("scope");
  if (found == parameters.end() || found->second == "subtree") return LeafScope::subtree;
  if (found->second == "whole") return LeafScope::whole;
  if (found->second == "allocation") return LeafScope::given;
  throw Error("scope=" + found->second + ": expected allocation, whole or subtree");
}

std::int32_t effort_parameter(const Request& request) {
  return static_cast<std::int32_t>(number_parameter(request, "effort", usual_effort, 1000, 1));
}

void check_treematch(const Parameters& parameters) {
  Request request;
  request.parameters = parameters;
  options_of(request);
  objective_parameter(parameters);
}

Placement place_treematch(const ClusterView& view, const Request& request, const Deadline& deadline) {
  mapping::check_request(view, request);
  const Objective objective = objective_parameter(request.parameters);
  if (!request.matrix) return choose_by_hop_bytes(view, request, deadline);
  return place_by_objective(objective, view, request, deadline, [&](const ClusterView& offered, const Request& of) {
    return choose_by_hop_bytes(offered, of, deadline);
  });
}

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

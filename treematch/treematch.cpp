// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/treematch.hpp"

#include "common/util/error.hpp"
#include "mapping/node_choice.hpp"
#include "treematch/chooser.hpp"
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

}  // namespace placement::treematch

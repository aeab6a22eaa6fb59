// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/natural_order.hpp"

#include "mapping/slots.hpp"
#include "policies/baselines.hpp"
#include "tofa/assess.hpp"
#include "tofa/torus_job.hpp"

namespace placement::policies {

namespace {

bool has_torus_cost(const ClusterView& view, const Request& request, bool on_torus) {
  return on_torus && tofa::has_coordinates(view, request) && request.matrix && !request.node_tasks.empty();
}

}  // namespace

Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus) {
  if (has_torus_cost(view, request, on_torus)) mapping::check_request(view, request);
  return step_cost(view, request, place_sequential(view, request, Deadline::never()), on_torus);
}

Cost step_cost(const ClusterView& view, const Request& request, const Placement& placement, bool on_torus) {
  if (!request.matrix) return 0;
  if (!has_torus_cost(view, request, on_torus))
    return view.tree->hop_bytes(*request.matrix, mapping::first_leaves(view, placement));
  std::vector<std::int32_t> position;
  for (const RankPlace& rank : placement.ranks)
    position.push_back(view.torus->position(view.nodes[static_cast<std::size_t>(rank.node)].torus_node));
  return tofa::hop_bytes(*view.torus, *request.matrix, position);
}

}  // namespace placement::policies

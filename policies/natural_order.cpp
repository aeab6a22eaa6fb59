// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/natural_order.hpp"

#include "policies/baselines.hpp"
#include "tofa/torus_job.hpp"

namespace placement::policies {

namespace {

// Returns the hop-bytes on the torus when the ranks fill the nodes of a step one after the other.
Cost hop_bytes_in_order(const ClusterView& view, const Request& request) {
  std::vector<std::int32_t> position;
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    position.insert(position.end(), static_cast<std::size_t>(request.node_tasks[n]),
                    request.node_tasks[n] > 0 ? view.torus->position(view.nodes[n].torus_node) : -1);
  Cost cost = 0;
  for (std::int32_t rank = 0; rank < request.matrix->ranks(); ++rank) {
    const auto partners = request.matrix->neighbours(rank);
    const auto weights = request.matrix->weights(rank);
    for (std::size_t k = 0; k < partners.size(); ++k)
      if (partners[k] > rank)
        cost += static_cast<Cost>(weights[k]) * view.torus->distance(position[rank], position[partners[k]]);
  }
  return cost;
}

}  // namespace

Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus) {
  if (on_torus && tofa::has_coordinates(view, request) && request.matrix && !request.node_tasks.empty()) {
    tofa::check_torus_request(view, request);
    return hop_bytes_in_order(view, request);
  }
  return place_sequential(view, request, Deadline::never()).cost;
}

}  // namespace placement::policies

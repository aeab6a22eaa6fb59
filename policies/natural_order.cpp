// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/natural_order.hpp"

#include "policies/baselines.hpp"
#include "tofa/torus_job.hpp"

namespace placement {

Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus) {
  if (on_torus && has_coordinates(view, request)) {
    check_torus_request(view, request);
    TorusJob job(view, request);
    job.begin_in_order();
    return job.best_placement().cost;
  }
  return place_sequential(view, request, Deadline::never()).cost;
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/node_outage.hpp"

#include <algorithm>
#include <cmath>

namespace placement {

double outage_for(double probability, double horizon_s, double job_seconds) {
  if (!(probability > 0) || !(horizon_s > 0) || !(job_seconds > 0))
    return probability > 0 ? std::min(probability, 1.0) : 0.0;
  if (probability >= 1) return 1;
  return -std::expm1(std::log1p(-probability) * job_seconds / horizon_s);
}

double outage_of(const NodeState& state, double horizon_s, double job_seconds) {
  const double estimate = outage_for(state.outage_probability, horizon_s, job_seconds);
  return state.silent() ? std::max(estimate, outage_of_silent_node) : estimate;
}

bool outages_known(const LiveState& live) {
  return std::ranges::any_of(
      live.nodes, [](const NodeState& node) { return !std::isnan(node.outage_probability) || node.silent(); });
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/live_cost.hpp"

#include <algorithm>

#include "common/state/pair_arrays.hpp"
#include "netload/live_input.hpp"

namespace placement::sim {

LiveCost::LiveCost(std::shared_ptr<const LiveState> live, std::vector<std::int32_t> state_of_node)
    : live_(std::move(live)),
      state_of_node_(std::move(state_of_node)) {
  if (!live_) return;
  for (const float value : live_->pairs.bandwidth_Bps) {
    if (!(value > 0)) continue;
    least_Bps_ = least_Bps_ > 0 ? std::min<double>(least_Bps_, value) : value;
    most_Bps_ = std::max<double>(most_Bps_, value);
  }
}

double LiveCost::bandwidth_Bps(std::int32_t a, std::int32_t b) const {
  if (a == b) return 8 * most_Bps_;
  const std::int32_t u = state_of_node_[a];
  const std::int32_t v = state_of_node_[b];
  if (u < 0 || v < 0) return least_Bps_;
  const double found = node_pair(live_->pairs, u, v).bandwidth_Bps;
  return found >= least_Bps_ ? found : least_Bps_;
}

double LiveCost::transfer_s(const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank) const {
  double seconds = 0;
  for (std::int32_t a = 0; a < matrix.ranks(); ++a)
    for (std::size_t k = 0; k < matrix.neighbours(a).size(); ++k)
      if (const std::int32_t b = matrix.neighbours(a)[k]; b > a)
        seconds += static_cast<double>(matrix.weights(a)[k]) / bandwidth_Bps(node_of_rank[a], node_of_rank[b]);
  return seconds;
}

double LiveCost::slowdown(std::span<const std::int32_t> nodes, std::span<const std::int32_t> cores) const {
  double most = 0;
  if (!live_) return 1;
  for (const std::int32_t node : nodes) {
    if (state_of_node_[node] < 0) continue;
    const double load = netload::load_beyond_slurm(live_->nodes[state_of_node_[node]]);
    if (load > 0) most = std::max(most, load / cores[node]);
  }
  return 1 + most;
}

}  // namespace placement::sim

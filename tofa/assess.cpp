// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/assess.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace placement::tofa {

void AnyFailure::add(double probability) {
  const double p = std::clamp(probability, 0.0, 1.0);
  surely_ = surely_ || p == 1.0;
  hazard_ += p == 1.0 ? certain : std::min(certain, -std::log1p(-p));
}

double AnyFailure::probability() const { return surely_ ? 1.0 : -std::expm1(-hazard_); }

Assessment assess(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position,
                  std::span<const double> outage, const RouteFaults* faults) {
  Assessment result;
  std::vector<char> touched(static_cast<std::size_t>(torus.positions()), 0);
  std::vector<Cost> load(static_cast<std::size_t>(torus.links()), 0);
  for (const std::int32_t at : position) touched[at] = 1;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < partners.size(); ++k) {  // each pair twice, once each way
      const std::int32_t from = position[rank];
      const std::int32_t to = position[partners[k]];
      std::int32_t hops = 0;
      torus.walk(from, to, [&](std::int32_t link, std::int32_t next) {
        touched[next] = 1;
        load[link] += weights[k];
        ++hops;
      });
      if (partners[k] > rank) result.hop_bytes += static_cast<Cost>(weights[k]) * hops;
      if (faults) result.weighted_twice += static_cast<Cost>(weights[k]) * faults->weight(from, to);
    }
  }
  for (const Cost l : load) result.link_load_twice = std::max(result.link_load_twice, l);
  if (!faults) result.weighted_twice = 2 * result.hop_bytes;
  AnyFailure failure;
  for (std::size_t at = 0; at < touched.size(); ++at) {
    if (!touched[at]) continue;
    ++result.nodes_touched;
    if (outage.empty() || !(outage[at] > 0)) continue;
    ++result.suspects_touched;
    failure.add(outage[at]);
  }
  result.abort_probability = failure.probability();
  result.hazard = failure.hazard();
  return result;
}

Cost hop_bytes(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position) {
  Cost cost = 0;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < partners.size(); ++k)
      if (partners[k] > rank)
        cost += static_cast<Cost>(weights[k]) * torus.distance(position[rank], position[partners[k]]);
  }
  return cost;
}

double expected_seconds(double job_seconds, double abort_probability) {
  if (abort_probability >= 1) return std::numeric_limits<double>::infinity();
  return job_seconds / (1 - abort_probability);
}

}  // namespace placement::tofa

// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/slowdown.hpp"

#include <algorithm>
#include <cmath>

namespace placement::netload {

namespace {

constexpr double rounding = 1 + 1e-9;
constexpr double most_lost = 0.1;  // the share of the run time that slow nodes may add

// Returns the share (0..1] of the run time that a program computes, from the weights of its profile, which are in
// proportion to the squares of the two shares (profile_weights()).
double computing_share(const NlaWeights& weights) {
  return std::sqrt(weights.alpha) / (std::sqrt(weights.alpha) + std::sqrt(weights.beta));
}

// Replaces what is not known by the worst known value, or by 1 where nothing is known.
std::vector<double> worst_or_one(std::vector<double> values) {
  values = worst_where_unknown(std::move(values));
  for (double& value : values)
    if (std::isnan(value)) value = 1;
  return values;
}

}  // namespace

std::vector<double> slowdown_of_nodes(const NodeTable& table, std::span<const double> cores,
                                      std::span<const double> load, std::span<const std::int32_t> processors) {
  const std::vector<double>& frequency = table[NodeAttribute::frequency];
  std::vector<double> clock(processors.size(), NAN), crowd(processors.size(), NAN);
  for (std::size_t n = 0; n < processors.size(); ++n) {
    if (n < frequency.size() && frequency[n] > 0) clock[n] = 1 / frequency[n];
    if (n < cores.size() && n < load.size() && cores[n] > 0 && !std::isnan(load[n]))
      crowd[n] = std::max(1.0, (load[n] + std::max(processors[n], 1)) / cores[n]);
  }
  clock = worst_or_one(std::move(clock));
  crowd = worst_or_one(std::move(crowd));
  for (std::size_t n = 0; n < clock.size(); ++n) clock[n] *= crowd[n];
  const auto [least, most] = std::minmax_element(clock.begin(), clock.end());
  if (clock.empty() || *most <= *least * rounding) return {};
  return clock;
}

SlowNodesRule rule_for_slow_nodes(const Parameters& parameters, const NlaWeights& weights) {
  const bool weighed_by_user = parameters.contains("alpha") || parameters.contains("beta");
  if (weighed_by_user || !(weights.alpha > 0)) return {0, weights};
  SlowNodesRule rule{1 + most_lost, weights};
  if (parameters.contains("network-use")) rule.most_slower = 1 + most_lost / computing_share(weights);
  if (weights.beta > 0 && weights.alpha >= NlaWeights().alpha) {
    rule.weights.alpha = NlaWeights().alpha;
    rule.weights.beta = NlaWeights().beta;
  }
  return rule;
}

std::vector<std::int32_t> processors_of_fast_nodes(std::span<const std::int32_t> fastest,
                                                   std::span<const double> slowdown, double most_slower,
                                                   std::span<const std::int32_t> processors,
                                                   std::span<const std::int32_t> required) {
  const auto is_required = [&](std::int32_t node) {
    return std::find(required.begin(), required.end(), node) != required.end();
  };
  double limit = 0;
  for (const std::int32_t node : fastest)
    if (!is_required(node)) limit = std::max(limit, slowdown[static_cast<std::size_t>(node)] * most_slower * rounding);
  std::vector<std::int32_t> kept(processors.begin(), processors.end());
  for (std::size_t n = 0; n < kept.size(); ++n)
    if (slowdown[n] > limit && !is_required(static_cast<std::int32_t>(n))) kept[n] = 0;
  return kept;
}

}  // namespace placement::netload

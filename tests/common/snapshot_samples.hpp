// SPDX-License-Identifier: GPL-2.0-or-later
// Live states for tests, and functions that compare them.
#pragma once
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"

namespace placement {

inline bool same_number(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

inline bool same_numbers(std::span<const float> a, std::span<const float> b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_number(a[i], b[i]);
  return same;
}

template <typename T>
bool same_values(std::span<const T> a, std::span<const T> b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = a[i] == b[i];
  return same;
}

inline bool same_node(const NodeState& a, const NodeState& b) {
  bool same = a.name == b.name && a.liveness == b.liveness && a.outages == b.outages;
  for (const NodeField& field : node_fields) same = same && same_number(field.get(a), field.get(b));
  return same;
}

// Returns whether two states are equal. NaN equals NaN.
inline bool same_state(const LiveState& a, const LiveState& b) {
  bool same = a.published_at_s == b.published_at_s && same_number(a.outage_horizon_s, b.outage_horizon_s) &&
              a.nodes.size() == b.nodes.size();
  for (std::size_t n = 0; same && n < a.nodes.size(); ++n) same = same_node(a.nodes[n], b.nodes[n]);
  return same && a.pairs.groups == b.pairs.groups && same_values(a.pairs.group_of_node, b.pairs.group_of_node) &&
         same_numbers(a.pairs.latency_us, b.pairs.latency_us) &&
         same_numbers(a.pairs.bandwidth_Bps, b.pairs.bandwidth_Bps) &&
         same_numbers(a.pairs.peak_bandwidth_Bps, b.pairs.peak_bandwidth_Bps) &&
         same_values(a.pairs.source, b.pairs.source) && same_numbers(a.pairs.age_s, b.pairs.age_s) &&
         same_values(a.pairs.latency_predictor, b.pairs.latency_predictor) &&
         same_values(a.pairs.bandwidth_predictor, b.pairs.bandwidth_predictor) &&
         same_numbers(a.pairs.latency_error_us, b.pairs.latency_error_us) &&
         same_numbers(a.pairs.bandwidth_error_Bps, b.pairs.bandwidth_error_Bps) &&
         same_numbers(a.pairs.node_latency_us, b.pairs.node_latency_us) &&
         same_numbers(a.pairs.node_bandwidth_Bps, b.pairs.node_bandwidth_Bps);
}

// Returns a state of random numbers. About one in eight is not known.
inline LiveState sample_state(std::size_t nodes, std::int32_t groups, unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto some = [&](double most) {
    return random() % 8 == 0 ? unknown_value : most * static_cast<double>(random()) / 4294967296.0;
  };
  LiveState state;
  state.published_at_s = 1700000000;
  state.outage_horizon_s = 86400;
  std::vector<std::int32_t> group_of_node;
  for (std::size_t n = 0; n < nodes; ++n) {
    NodeState& node = state.nodes.emplace_back();
    node.name = "n" + std::to_string(n + 1);
    node.liveness = static_cast<Liveness>(random() % 4);
    node.outages = random() % 5;
    for (const NodeField& field : node_fields) {
      const double value = some(field.range.most == 1 ? 1 : 1e6);
      field.set(node, std::isnan(value) ? value : std::max(value, field.range.least));
    }
    node.observed_s = static_cast<double>(random());
    if (groups > 0) group_of_node.push_back(static_cast<std::int32_t>(n) % groups);
  }
  if (groups == 0) return state;
  PairArrays arrays(groups, group_of_node);
  for (std::int32_t a = 0; a < groups; ++a)
    for (std::int32_t b = a; b < groups; ++b) {
      if (random() % 8 == 0) continue;
      const auto source = static_cast<PairSource>(1 + random() % 3);
      arrays.set(a, b,
                 {static_cast<float>(some(500)), static_cast<float>(some(1e9)), static_cast<float>(some(2e9)), source,
                  static_cast<float>(some(600))});
    }
  if (seed % 2 == 1)
    for (std::size_t n = 0; n < nodes; ++n) arrays.node_bandwidth_Bps.push_back(static_cast<float>(some(1e9)));
  if (seed % 3 == 1)
    for (std::size_t n = 0; n < nodes; ++n) arrays.node_latency_us.push_back(static_cast<float>(some(30)));
  // Forecasts of the pairs; other seeds give a state without them.
  if (seed % 4 == 2) {
    for (std::int32_t a = 0; a < groups; ++a)
      for (std::int32_t b = a; b < groups; ++b)
        if (random() % 4 != 0)
          arrays.set_forecast(a, b,
                              {static_cast<Predictor>(1 + random() % 4), static_cast<Predictor>(1 + random() % 4),
                               static_cast<float>(some(5)), static_cast<float>(some(1e6))});
  }
  state.pairs = pair_table(std::move(arrays));
  return state;
}

}  // namespace placement

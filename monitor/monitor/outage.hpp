// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace placement::monitor {

// Estimates how likely each node is to fail, from its history of unplanned outages [TOFA §3]. Time is divided into
// slots of an hour. A node may fail in each slot. All times are in seconds since 1970.

enum class OutageEstimator : std::uint8_t {
  // Beta-Bernoulli: from the node's outages and hours of observation, with less weight for old ones. The prior has the
  // rate of all nodes as mean, which is the result before the first outage of any node.
  beta,
  moving_average,           // outages per hour of observation in the last 30 days
  weighted_moving_average,  // outages per hour of observation, old ones counting less
  // Both averages are those of [TOFA §3]: a node without an outage has probability 0.
};

// Returns the estimator with this name in placement.conf, such as "moving-average". Throws Error for another name.
OutageEstimator outage_estimator(std::string_view name);

// The observed history of one node.
struct NodeObservation {
  struct Period {
    double began_s = 0, ended_s = 0;
  };
  std::vector<Period> observed;  // disjoint
  std::vector<double> outages;   // when the counted ones began
};

// Returns the probability that a node fails within `horizon_s` seconds after `now_s`, for each node.
std::vector<double> outage_probabilities(std::span<const NodeObservation> nodes, OutageEstimator estimator,
                                         double now_s, double horizon_s);

}  // namespace placement::monitor

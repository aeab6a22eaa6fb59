// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <vector>

#include "common/policy/config.hpp"

namespace placement::monitor {

// Estimates how likely each node is to fail, from its history of unplanned outages [TOFA §3]. Time is divided into
// slots of an hour. A node may fail in each slot. All times are in seconds since 1970.

// The observed history of one node.
struct NodeObservation {
  struct Period {
    double began_s = 0, ended_s = 0;
  };
  std::vector<Period> observed;  // disjoint
  std::vector<double> outages;   // when the counted outages began
};

// Returns the probability that a node fails within `horizon_s` seconds after `now_s`, for each node.
std::vector<double> outage_probabilities(std::span<const NodeObservation> nodes, OutageEstimator estimator,
                                         double now_s, double horizon_s);

}  // namespace placement::monitor

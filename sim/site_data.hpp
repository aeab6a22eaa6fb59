// SPDX-License-Identifier: GPL-2.0-or-later
// Data of a machine other than its topology: live state and outage probabilities.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/state/outage_file.hpp"
#include "common/topology/cluster_view.hpp"
#include "sim/engine.hpp"

namespace placement::sim {

// Makes `state` the live state of the view and assigns its nodes to those of the view by name. `source` is the origin
// of the state, for messages. Throws Error when the state has no node of the view.
void attach_state(ClusterView& view, LiveState state, const std::string& source);

// Puts outage probabilities into the live state of the view, and creates this state if there is none. Each is the
// probability of a failure within `horizon_s` seconds. `source` is their origin, for messages. Throws Error when
// `outages` has a node that is not in the view, or one that is missing from a live state with network data.
void attach_outages(ClusterView& view, const NodeOutages& outages, double horizon_s, const std::string& source);

// Returns the failure rate of each node, in failures per hour, computed from its outage probability. A probability of 1
// counts as 0.999999. All rates are 0 without a live state.
std::vector<double> failure_rates(const ClusterView& view);

}  // namespace placement::sim

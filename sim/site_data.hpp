// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of a machine beside its shape: live state, outage probabilities, failures to come.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/state/outage_file.hpp"
#include "common/topology/cluster_view.hpp"
#include "sim/engine.hpp"

namespace placement::sim {

// A made-up state: three in five nodes idle, three in ten with other load on up to a quarter of their cores, the rest on
// up to all; the network between leaf switches (on a torus between nodes) slower the farther apart they are,
// and busy by chance. The same for the same view and seed.
LiveState random_state(const ClusterView& view, std::uint64_t seed);

// Tells the view's nodes what the state has of those of their name. Throws Error when it has none of them.
void attach_state(ClusterView& view, LiveState state, const std::string& source);

// Puts outage probabilities into the view's live state, which is made where there is none. Each is that of a
// failure within `horizon_s` seconds. Throws Error on a node that the view does not have.
void attach_outages(ClusterView& view, const NodeOutages& outages, double horizon_s, const std::string& source);

// Failures per hour of each node with which its outage probability comes about; a probability of 1 counts as
// 0.999999. All 0 without a live state.
std::vector<double> failure_rates(const ClusterView& view);

// Failures by time, one per line: seconds since the begin of the window, a node or a list of nodes as "n[1-4]", hours
// until they are back; '#' starts a comment. Throws Error naming file, line and value.
std::vector<PlannedFailure> read_failures(const std::string& path, const ClusterView& view);

}  // namespace placement::sim

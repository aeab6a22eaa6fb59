// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"
#include "netload/compute_load.hpp"

namespace placement {

// One number for the means over 1, 5 and 15 minutes: their mean, of those that are known [NLA §1]; NaN: none is.
// Negative values and infinity count as not known.
double mean_of(const RunningMeans& means);

// The load of a node beyond what Slurm's own jobs cause there, 0 or more [NLA §4]. A fifth of a processor is
// noise: daemons, and the very agent that measures. NaN: not known.
double load_beyond_slurm(const NodeState& state);

// The same for candidate nodes, candidate c being live.nodes[state_of[c]]. Of a node of which it is not known, -1 in
// state_of or silent, the largest of the others counts, as in its compute load, but for one that stands out.
std::vector<double> loads_beyond_slurm(const LiveState& live, std::span<const std::int32_t> state_of);

// The attributes of candidate nodes from a snapshot; candidate c is live.nodes[state_of[c]], or unknown for -1.
// `cores` has what the caller knows of their logical cores, or is empty: the nodes are believed. What one node
// says of itself can only harm its own rank: each value is cut off at a few times what nine of ten of the others
// say, so that it does not move the scale on which all are compared. `busy` has the processors that Slurm's jobs hold on
// each candidate, or is empty: a node that tells of less than half of the load, or utilisation, that jobs cause on
// the median of the candidates with jobs counts with that half, where there are three of them or more.
NodeTable live_attributes(const LiveState& live, std::span<const std::int32_t> state_of,
                          std::span<const double> cores = {}, std::span<const double> busy = {});

// How well a choice among these candidates would be founded.
struct LiveCoverage {
  std::int32_t candidates = 0;
  std::int32_t told = 0;      // nodes of which load or utilisation is known
  double oldest_s = 0;        // age of the attributes of the oldest of those
};
LiveCoverage live_coverage(const LiveState& live, std::span<const std::int32_t> state_of);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"
#include "netload/compute_load.hpp"

namespace placement::netload {

// Returns the mean of the known values among the means over 1, 5 and 15 minutes [NLA §1]; NaN when none is known.
// Negative and infinite values count as not known.
double mean_of(const RunningMeans& means);

// Returns the load of a node beyond that of Slurm's own jobs, in processors, 0 or more; NaN when it is not known [NLA
// §4]. A fifth of a processor is subtracted for daemons and the agent.
double load_beyond_slurm(const NodeState& state);

// Returns load_beyond_slurm() of each candidate node. Candidate c is live.nodes[state_of[c]]; -1: it is not in the
// snapshot. Exceptionally large loads are limited first. Then an unknown load counts as the largest load.
std::vector<double> loads_beyond_slurm(const LiveState& live, std::span<const std::int32_t> state_of);

// Returns the attributes of candidate nodes from a snapshot. Candidate c is live.nodes[state_of[c]]; -1: not known.
// Values are limited to four times the 90th percentile. If at least three candidates have jobs, an implausibly low load
// is raised. The load per processor held by jobs is then half of the median over these candidates.
//   cores  logical cores of each candidate from the caller; empty: as the nodes report
//   busy   processors that Slurm's jobs hold on each candidate; empty: not known
NodeTable live_attributes(const LiveState& live, std::span<const std::int32_t> state_of,
                          std::span<const double> cores = {}, std::span<const double> busy = {});

// The number of candidates with live data.
struct LiveCoverage {
  std::int32_t candidates = 0;
  std::int32_t reporting = 0;  // candidates whose load or utilisation is known
  double oldest_s = 0;         // the largest age of their attributes, in seconds
};
// Returns the coverage of candidates. Candidate c is live.nodes[state_of[c]]; -1: it is not in the snapshot.
LiveCoverage live_coverage(const LiveState& live, std::span<const std::int32_t> state_of);

}  // namespace placement::netload

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "netload/compute_load.hpp"

namespace placement::netload {

// Returns how long a fixed piece of computation takes on each node, in any unit: one over the frequency, times the
// processes that share each core where there are more of them than cores. A node whose value is not known counts as the
// worst known one, and where no node tells a value it counts as equal. Returns nothing when neither the frequency nor
// the load tells nodes apart.
//   table       has the frequency
//   cores       cores of each node; empty, or NaN for a node: not known
//   load        processes of others on each node; empty, or NaN for a node: not known
//   processors  processes that each node takes
std::vector<double> slowdown_of_nodes(const NodeTable& table, std::span<const double> cores,
                                      std::span<const double> load, std::span<const std::int32_t> processors);

// Which nodes are too slow for a job, and how the others are weighed.
struct SlowNodesRule {
  // A node that takes more than this times as long as the fastest that suffice is left out; 0: none is.
  double most_slower = 0;
  NlaWeights weights;  // for the choice among the others

  bool leaves_out() const { return most_slower > 0; }
};

// Returns the rule for a job with the parameters that its user gave and the weights in force, which may follow from a
// profile. Ranks wait for the slowest node, and a sum of loads does not show it, so that nodes are left out unless the
// user weighs computation and network himself (alpha, beta), or computation does not count at all. A job of which
// nothing is known is taken for one that only computes: what is left out takes more than 1.1 times as long. Where a
// profile tells that the network takes the share a of the run time, a node that is f times as slow adds the share (1 -
// a)(f - 1) to it. A tenth is allowed: most_slower = 1 + 0.1 / (1 - a). Among the nodes that are left computation
// counts at most as much as by default: they are about equally fast, and the network makes the difference. Where beta
// is 0 it stays so, as the pairs of nodes then need not be measured.
SlowNodesRule rule_for_slow_nodes(const Parameters& parameters, const NlaWeights& weights);

// Returns the processors of nodes that take at most `most_slower` times as long as the slowest node of `fastest`; 0 for
// all others but those in `required`, which do not count in `fastest` either.
std::vector<std::int32_t> processors_of_fast_nodes(std::span<const std::int32_t> fastest,
                                                   std::span<const double> slowdown, double most_slower,
                                                   std::span<const std::int32_t> processors,
                                                   std::span<const std::int32_t> required);

}  // namespace placement::netload

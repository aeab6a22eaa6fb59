// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "netload/compute_load.hpp"

namespace placement::netload {

// Returns how long a fixed piece of computation takes on each node, in any unit: one over the frequency, times the processes that
// share each core where there are more of them than cores. A node whose value is not known counts as the worst known one, and where
// no node tells a value it counts as equal. Returns nothing when neither the frequency nor the load tells nodes apart.
//   table       has the frequency
//   cores       cores of each node; empty, or NaN for a node: not known
//   load        processes of others on each node; empty, or NaN for a node: not known
//   processors  processes that each node takes
std::vector<double> slowdown_of_nodes(const NodeTable& table, std::span<const double> cores, std::span<const double> load,
                                      std::span<const std::int32_t> processors);

// Returns whether slow nodes are left out: where the user does not weigh computation and network himself (alpha, beta), and computation
// counts at all. `parameters` are those that the user gave, `weights` those in force, which may follow from a profile.
bool leaves_out_slow_nodes(const Parameters& parameters, const NlaWeights& weights);

// Returns the weights for a choice among nodes that are about equally fast: computation counts at most as much as by default (alpha). A
// profile with more weight on computation says that slow nodes cost much, and these are left out; among the others the network makes
// the difference. Where beta is 0 nothing is changed, as the pairs of nodes then need not be measured.
NlaWeights weights_among_fast_nodes(NlaWeights weights);

// Nodes that are slower by more than this than those of the fastest group are left out.
constexpr double most_slower = 1.1;

// Returns the processors of nodes that take at most most_slower times as long as the slowest node of `fastest`; 0 for all others but
// those in `required`, which do not count in `fastest` either.
std::vector<std::int32_t> processors_of_fast_nodes(std::span<const std::int32_t> fastest, std::span<const double> slowdown,
                                                   std::span<const std::int32_t> processors, std::span<const std::int32_t> required);

}  // namespace placement::netload

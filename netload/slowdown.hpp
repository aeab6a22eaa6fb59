// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/policy/policy.hpp"
#include "netload/compute_load.hpp"
#include "netload/typical_link.hpp"

namespace placement::netload {

// Returns the time of a fixed computation on each node, in any unit: processes per core (at least 1) / frequency. An
// unknown value counts as the worst known one. If none is known, nodes count as equally fast.
//   cores       cores of each node; empty, or NaN for a node: not known
//   load        processes of other programs on each node; empty, or NaN for a node: not known
//   processors  processes that each node takes
std::vector<double> slowdown_of_nodes(const NodeTable& table, std::span<const double> cores,
                                      std::span<const double> load, std::span<const std::int32_t> processors);

// The shares (0..1) of a job's run time that communication may take, on the best nodes.
struct ShareRange {
  double least = 0.05;
  double most = 0.95;
};

// Returns the shares for a job with its user's parameters; nothing when the user sets the weights (alpha, beta). A
// profile (network-use) narrows the range to 0.1 on both sides of its network_share() on `link`.
std::optional<ShareRange> share_range(const Parameters& parameters, const TypicalLink& link);

}  // namespace placement::netload

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/node_choice.hpp"
#include "tofa/route_faults.hpp"

namespace placement {

// The nodes that a job may use, on a torus.
struct OfferedNodes {
  const TorusTopology* torus = nullptr;
  std::vector<std::int32_t> position;  // of each view node; -1: it has no coordinates and is not used
  const RouteFaults* faults = nullptr; // null: no node is suspect

  bool suspect(std::int32_t node) const { return faults && position[node] >= 0 && faults->suspect(position[node]); }
};

// The first window of consecutive nodes, in the order of their positions, that serves the request and in
// which no node is suspect [TOFA §4].
std::optional<NodeCounts> window_counts(const OfferedNodes& nodes, const NodeLimits& limits);

// Sets of nodes that lie close together and avoid suspect nodes as far as they can, also on the routes
// between them: boxes without any, and balls round several centres. The best ones first, at most `most`.
std::vector<NodeCounts> compact_sets(const OfferedNodes& nodes, const NodeLimits& limits, std::size_t most);

}  // namespace placement

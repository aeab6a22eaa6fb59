// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/node_choice.hpp"
#include "tofa/route_faults.hpp"

namespace placement::tofa {

// The nodes of a torus that a job may use.
struct OfferedNodes {
  const TorusTopology* torus = nullptr;  // never null in use
  std::vector<std::int32_t> position;    // of each view node; -1: the node has no coordinates and is not used
  const RouteFaults* faults = nullptr;   // null: no node is suspect

  // Returns whether a view node has coordinates and is suspect.
  bool suspect(std::int32_t node) const { return faults && position[node] >= 0 && faults->suspect(position[node]); }
};

// Returns the first window of consecutive usable nodes, in the order of their positions, that serves the request
// without suspect nodes [TOFA §4]. Required nodes are always included, even suspect ones. Returns nothing when there is
// no window.
std::optional<mapping::NodeCounts> window_counts(const OfferedNodes& nodes, const mapping::NodeLimits& limits);

// Returns at most `most` sets of nodes that lie close together, if possible without suspect nodes in the set and on its
// routes. Candidates are boxes without suspect nodes, balls around several centres, and slabs of whole planes. The best
// set is first. The best slab is second, because whole rings suit periodic grids.
std::vector<mapping::NodeCounts> compact_sets(const OfferedNodes& nodes, const mapping::NodeLimits& limits,
                                              std::size_t most);

}  // namespace placement::tofa

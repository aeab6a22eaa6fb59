// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Ranks joined to units of one size. A unit takes a place: as many leaves just below one vertex as it has ranks. The
// traffic inside a unit travels equally far in each place, so only the traffic between units must be mapped. There are
// more leaves than the units need. A vertex has places for whole units only, so some of its leaves may stay free.
struct RankUnits {
  std::int32_t size = 0;              // ranks of a unit; the last unit may have fewer
  std::vector<std::int32_t> unit_of;  // unit of each rank
  CommMatrix traffic;                 // between the units
};

// Joins the ranks to units of `size` ranks, at least 2. `graph` is that of the matrix. Returns nothing when the traffic
// does not fall into pieces of this size. Throws OutOfTime.
std::optional<RankUnits> joined_to_units(const CommMatrix& matrix, const mapping::Graph& graph, std::int32_t size,
                                         const mapping::WorkBudget& watch);

// Returns the first leaf of each place that units of `size` ranks may take, ascending. `usable` is ascending.
std::vector<std::int32_t> places_of_units(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                          std::int32_t size);

// Returns the leaf of each rank when unit u is on the place whose first leaf is place_of_unit[u]. The ranks of a unit
// take its leaves in ascending order.
std::vector<std::int32_t> leaves_of_ranks(const RankUnits& units, std::span<const std::int32_t> usable,
                                          std::span<const std::int32_t> place_of_unit);

}  // namespace placement::treematch

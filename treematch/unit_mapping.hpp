// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Units: groups of ranks, each as large as one of the lowest subtrees, such as a socket. A mapping by units joins ranks
// to units, and then distributes the units from the root downwards. This suits traffic that falls into equal pieces, as
// in a halo exchange. There it saves more hops at the bottom of the tree than a split from above, which leaves
// irregular pieces.
struct Units {
  std::vector<std::int32_t> unit_of;  // unit of each vertex of the graph
  std::vector<std::int32_t> place;    // the lowest subtrees: the vertices just above the leaves, from left to right
  std::int32_t odd = -1;              // index in `place` of the subtree that is smaller than the others, or -1
  double fit = 0;                     // mean traffic inside a unit divided by that inside the best unit, 0 to 1
  bool equal_pieces = false;          // the fit is nearly 1, and the units were made in one step
};

// Joins the vertices of a graph to units as large as the lowest subtrees of the tree, which has one slot per vertex.
// Returns nothing unless there are at least four lowest subtrees, with 2 to 128 slots, at one distance from the root,
// and of one size. One of them may be smaller; the last unit is then smaller, too. When the time of `watch` ends, the
// fit is 0 and the units may follow the order of the vertices.
std::optional<Units> join_to_units(const mapping::Graph& graph, const mapping::LeafTree& tree,
                                   const mapping::WorkBudget& watch = mapping::WorkBudget());

// Joins successive vertices to units as large as the lowest subtrees, in a fraction of the time. `position` has the
// place of each vertex in their order, from 0. The fit is not known and stays 0. Returns nothing when join_to_units()
// would.
std::optional<Units> consecutive_units(const mapping::LeafTree& tree, std::span<const std::int32_t> position);

// Places the units on the lowest subtrees from left to right, in the order of their numbers. Returns the slot of each
// vertex of the graph.
std::vector<std::int32_t> units_in_order(const mapping::LeafTree& tree, const Units& units);

// Places the units on the lowest subtrees by multisection() and swap_search() of the traffic between the units.
//   seed   seed of the random choices
//   work   approximate number of arcs to visit in each of the two searches
//   watch  time budget of the search
// Returns the slot of each vertex of the graph. Throws OutOfTime when the time has ended before the search starts.
std::vector<std::int32_t> units_mapping(const mapping::Graph& graph, const mapping::LeafTree& tree, const Units& units,
                                        std::uint64_t seed, std::int64_t work, const mapping::WorkBudget& watch);

}  // namespace placement::treematch

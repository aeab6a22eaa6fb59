// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "common/util/deadline.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// From both ends: ranks are joined to units as large as the lowest subtrees (sockets, say), and the
// units are then split down the rest of the tree. Where the traffic falls into equal pieces, as in a
// halo exchange, most hops lie at the bottom: pieces that fit together save more there than a split
// from above, which leaves rags, and there are few of them to split.
struct Units {
  std::vector<std::int32_t> unit_of;  // of each vertex
  std::vector<std::int32_t> place;    // the vertices of the tree right above its leaves, from left to right
  std::int32_t odd = -1;              // the place that is smaller than the others, for the last unit
  double fit = 0;                     // traffic inside the units, 1 if it were as much in all as in the best
  bool equal_pieces = false;          // it is, and they were found at the first go, so that they lie in order
};

// For a tree with as many slots as the graph has vertices. Nothing where the lowest subtrees differ
// (but for one, which may be smaller) or are too large or too few. Once the time is over, the fit is 0
// and units may be as they come.
std::optional<Units> join_to_units(const Graph& graph, const LeafTree& tree, const WorkBudget& watch = WorkBudget());

// Slot of each vertex, the units being laid out from left to right as they were made.
std::vector<std::int32_t> units_in_order(const LeafTree& tree, const Units& units);

// The same, the units being split down the tree. `seed`, `work` and `deadline` as in multisection().
std::vector<std::int32_t> units_mapping(const Graph& graph, const LeafTree& tree, const Units& units,
                                        std::uint64_t seed, std::int64_t work, const Deadline& deadline);

}  // namespace placement

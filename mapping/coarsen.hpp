// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Merges pairs of vertices with much traffic for their size. This at best halves the number of vertices.
//   largest    largest size of a merged vertex, in ranks
//   random     source of the order in which vertices are visited
//   coarse_of  out: the vertex of the result that contains each vertex of `graph`
//   watch      time budget
// Returns the graph of the merged vertices. Throws OutOfTime.
Graph coarsened(const Graph& graph, std::int32_t largest, Random& random, std::vector<std::int32_t>& coarse_of,
                const WorkBudget& watch = WorkBudget());

// Returns a graph with one vertex for each part 0..parts-1 and the sum of the traffic between the parts. Throws
// OutOfTime.
//   part_of  the part of each vertex of `graph`, or -1 for a vertex that is left out
Graph contracted(const Graph& graph, std::span<const std::int32_t> part_of, std::int32_t parts,
                 const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

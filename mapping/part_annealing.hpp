// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Returns whether anneal_parts() is worth its time: the graph has 32 vertices or more and some traffic, there are
// several parts, and the table of the search, of 4 bytes for each vertex and part, has at most 4 MiB.
bool can_anneal_parts(const Graph& graph, std::size_t parts);

// Lowers the traffic between the parts of a graph by simulated annealing. Each step offers one vertex a place in the
// part of one of its partners. A step that raises the traffic between parts is taken with a probability that falls with
// the rise and with time. A part may have more vertices than its capacity during the search, at a price; at the end
// no part has. Recursive bisection, which decides on the first cut before it knows the others, leaves room for this
// where the traffic is irregular (D. Johnson et al., Optimization by Simulated Annealing, Part I, 1989, found the same
// of random graphs split in two).
//   graph     all vertices have size 1
//   capacity  the most vertices that each part may have; together at least the number of vertices
//   part      in and out: the part of each vertex, from 0; no part above its capacity. Stays as it is unless the result
//             has less traffic between the parts
//   sweeps    number of steps for each vertex, at least 1
//   random    source of the random choices
//   watch     time budget
// Throws OutOfTime; `part` is then as it was.
void anneal_parts(const Graph& graph, std::span<const std::int32_t> capacity, std::vector<std::int32_t>& part,
                  std::int32_t sweeps, Random& random, const WorkBudget& watch);

}  // namespace placement::mapping

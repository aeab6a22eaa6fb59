// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Returns whether anneal_parts() is worth its time. The graph needs traffic and at least 32 vertices, and there must be
// several parts. The table of the search, 4 bytes per vertex and part, must not exceed 4 MiB.
bool can_anneal_parts(const Graph& graph, std::size_t parts);

// Lowers the traffic between the parts of a graph by simulated annealing. Each step offers one vertex a place in the
// part of one of its partners. A step that raises the traffic is accepted with a probability that falls with the rise
// and with time. During the search a part may exceed its capacity at a price, but not at the end. It improves recursive
// bisection of irregular traffic, as for random graphs in D. Johnson et al., Optimization by Simulated Annealing, Part
// I, 1989.
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

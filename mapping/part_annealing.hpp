// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Returns whether anneal_parts() is worth its time. The graph needs traffic, at least 32 vertices, and at least two
// parts. The table of the search, 4 bytes per vertex and part, must not exceed 4 MiB.
bool can_anneal_parts(const Graph& graph, std::size_t parts);

// Lowers the traffic between the parts of a graph by simulated annealing (Johnson et al., Optimization by Simulated
// Annealing, Part I, 1989). This improves recursive bisection of irregular traffic. Each step may move a vertex to the
// part of a partner. If this raises the traffic, its probability falls with the rise and with time. Throws OutOfTime.
//   graph     has vertices of size 1
//   capacity  largest number of vertices of each part; only the search itself may exceed it
//   part      in and out: the part of each vertex, from 0, within `capacity`; changed only if the traffic falls
//   sweeps    number of steps for each vertex, at least 1
void anneal_parts(const Graph& graph, std::span<const std::int32_t> capacity, std::vector<std::int32_t>& part,
                  std::int32_t sweeps, Random& random, const WorkBudget& watch);

}  // namespace placement::mapping

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"

namespace placement::treematch {

// The largest graph that paired_by_assignment() takes: its time grows with the cube of the vertices, to 20 s.
constexpr std::int32_t most_assigned = 2048;

// Matches the vertices of a graph in pairs by the Hungarian method as published [JA §2]: each vertex is
// assigned another one, so that the sum of the traffic is largest. The paper assumes that two vertices are assigned to
// each other. Other assignments are cycles; they are cut into the pairs with the most traffic, and vertices that are
// left over are paired by falling traffic.
// Returns the partner of each vertex, or -1. Throws Error when there are more than most_assigned vertices.
std::vector<std::int32_t> paired_by_assignment(const mapping::Graph& graph);

}  // namespace placement::treematch

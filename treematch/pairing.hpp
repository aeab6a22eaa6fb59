// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// How the vertices of a graph are matched in pairs.
enum class Pairing {
  heaviest_first,  // takes pairs by falling traffic: at least half of the maximum weight, in nearly linear time
  maximum_weight,  // finds a matching of maximum weight [JA §2]
  assignment,      // the Hungarian method as published [JA §2], for up to 2,048 vertices
};

// Matches the vertices of a graph in pairs with much traffic. Returns the partner of each vertex, or -1. The result is
// deterministic; with heaviest_first, ties go to the pair with the lower vertices. heaviest_first throws OutOfTime when
// the time of `watch` ends; the other two ignore `watch`. Throws Error when there are too many vertices for an
// assignment.
std::vector<std::int32_t> paired(const mapping::Graph& graph, Pairing pairing,
                                 const mapping::WorkBudget& watch = mapping::WorkBudget());

}  // namespace placement::treematch

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Halves a graph, at best, by merging pairs of vertices with much traffic for their size. No
// merged vertex is larger than `largest`. coarse_of[v] is the vertex that v becomes part of.
Graph coarsened(const Graph& graph, std::int32_t largest, Random& random,
                std::vector<std::int32_t>& coarse_of, const WorkBudget& watch = WorkBudget());

// One vertex for each part 0..parts-1, the traffic between parts summed; vertices whose part is -1
// are left out.
Graph contracted(const Graph& graph, std::span<const std::int32_t> part_of, std::int32_t parts,
                 const WorkBudget& watch = WorkBudget());

}  // namespace placement

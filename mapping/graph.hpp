// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

struct Arc {
  std::int32_t to = 0;
  std::int32_t weight = 0;
};

// What the mapper works on: the matrix with 32-bit weights, in one compact array, and the number of
// ranks that each vertex stands for. All weights together stay below 2^31, so that times a distance
// (31 bits) they never overflow 64 bits.
struct Graph {
  std::vector<std::int64_t> row{0};  // vertices + 1 offsets into arc
  std::vector<Arc> arc;              // both directions
  std::vector<std::int32_t> size;    // ranks in each vertex

  std::int32_t vertices() const { return static_cast<std::int32_t>(row.size()) - 1; }
  std::span<const Arc> arcs(std::int32_t v) const {
    return {arc.data() + row[v], arc.data() + row[v + 1]};
  }
};

// Exact while the matrix sums to less than 2^31; otherwise weights are scaled to fit and rounded, a
// pair with traffic keeping at least 1 (or nothing where even that would be too much).
Graph scaled_graph(const CommMatrix& matrix, const WorkBudget& watch = WorkBudget());

struct HeavyPair {
  std::int32_t weight, a, b;
};

// All pairs a < b, the heaviest first; equal ones as the graph has them.
std::vector<HeavyPair> pairs_by_weight(const Graph& graph, const WorkBudget& watch = WorkBudget());

// The same graph with vertex k being vertex order[k] of the old one. Neighbours in the graph that
// come close to each other in the order also do so in memory.
Graph renumbered(const Graph& graph, std::span<const std::int32_t> order, const WorkBudget& watch = WorkBudget());

// All vertices breadth first, component by component: a good order for renumbered().
std::vector<std::int32_t> breadth_first(const Graph& graph, const WorkBudget& watch = WorkBudget());

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// One direction of a pair of vertices with traffic.
struct Arc {
  std::int32_t to = 0;      // the other vertex
  std::int32_t weight = 0;  // traffic of the pair
};

// The communication matrix as the mapper uses it: 32-bit weights in one compact array. A vertex stands for one rank or
// several. The weights of all pairs sum to less than 2^31, so their product with a 31-bit distance fits into 64 bits.
struct Graph {
  std::vector<std::int64_t> row{0};  // vertices + 1 offsets into arc
  std::vector<Arc> arc;              // the arcs of all vertices, each pair in both directions
  std::vector<std::int32_t> size;    // number of ranks in each vertex

  // Return the number of vertices, and the arcs of one vertex, 0..vertices()-1.
  std::int32_t vertices() const { return static_cast<std::int32_t>(row.size()) - 1; }
  std::span<const Arc> arcs(std::int32_t v) const { return {arc.data() + row[v], arc.data() + row[v + 1]}; }
  // Returns the sum of the weights of all pairs.
  std::int64_t total_weight() const {
    std::int64_t twice = 0;
    for (const Arc& one : arc) twice += one.weight;
    return twice / 2;
  }
};

// Returns the graph of a matrix, with one vertex per rank. Weights are exact if the matrix sums to less than 2^31.
// Otherwise they are scaled and rounded down, and a weight below 1 becomes 1. With 2^30 pairs or more, it becomes 0.
// Throws OutOfTime.
Graph scaled_graph(const CommMatrix& matrix, const WorkBudget& watch = WorkBudget());

// A pair of vertices a < b with its traffic.
struct HeavyPair {
  std::int32_t weight, a, b;
};

// Returns all pairs of vertices with an arc, the heaviest first; ties are in the order of the graph's arcs. Throws
// OutOfTime.
std::vector<HeavyPair> pairs_by_weight(const Graph& graph, const WorkBudget& watch = WorkBudget());

// Returns the graph with its vertices renumbered: vertex k of the result is vertex order[k] of `graph`. Vertices that
// are close in the order are close in memory, which suits the cache. Throws OutOfTime.
Graph renumbered(const Graph& graph, std::span<const std::int32_t> order, const WorkBudget& watch = WorkBudget());

// Returns all vertices in breadth-first order, component by component: a good order for renumbered(). Throws OutOfTime.
std::vector<std::int32_t> breadth_first(const Graph& graph, const WorkBudget& watch = WorkBudget());

// Returns a sparse matrix whose cuts are close to those of `matrix`, with at most ranks * (pairs_per_rank + 1) pairs.
// Let t be the total weight divided by ranks * pairs_per_rank, rounded up, at least 1. Pairs of weight t or more are
// kept. For each rank, a sum starts at a random number below t. The weights of its lighter pairs with higher ranks are
// added one by one. Each time the sum reaches t, the last pair is kept with weight t, and t is subtracted from the sum.
// The traffic of a rank with all higher ranks changes by less than t. The mean weight of a pair over all seeds does not
// change. If the total weight is 2^61 or more, all weights of the result are divided by 4. Throws OutOfTime.
//   pairs_per_rank  at least 1
CommMatrix sparsified(const CommMatrix& matrix, std::int32_t pairs_per_rank, std::uint64_t seed,
                      const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/bisection.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Whether anneal_parts() changes the parts of all children of a vertex together before they are split further.
enum class Annealing {
  none,
  of_parts,
  of_irregular_parts,  // for irregular traffic: more annealing steps, and fewer bisections before them
};

// Maps the ranks from the root downwards [TM §5], and returns the slot of each rank. At each vertex, its ranks are
// split into parts for its children, with little traffic between the parts. If slots outnumber ranks, each vertex uses
// the fewest children that hold its ranks. The traffic decides how many ranks each child takes. Once the time of
// `watch` has ended, the remaining ranks are placed in order, and nothing is thrown.
//   graph   has vertices of size 1
//   tree    has at least one slot per rank
//   work    number of arcs to visit, approximate
//   memory  earlier bisections of this graph, reused without a change of the result; may be null
std::vector<std::int32_t> multisection(const mapping::Graph& graph, const mapping::LeafTree& tree, std::uint64_t seed,
                                       std::int64_t work, const mapping::WorkBudget& watch,
                                       Annealing annealing = Annealing::none,
                                       mapping::BisectionMemory* memory = nullptr);

}  // namespace placement::treematch

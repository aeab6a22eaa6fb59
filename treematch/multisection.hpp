// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/bisection.hpp"
#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Whether anneal_parts() changes the parts of all children of a vertex together, before they are split further.
enum class Annealing {
  none,
  of_parts,
  of_irregular_parts,  // with more steps, which irregular traffic gains by, and fewer bisections before them
};

// Maps the ranks by splitting them from the root downwards, at each vertex into parts for its children, with little
// traffic between the parts [TM §5]. If the tree has as many slots as there are ranks, each part fills its child. If
// the tree has more slots, each vertex uses the fewest children that hold its ranks. The traffic then decides how many
// ranks each child takes.
//   graph  traffic between the ranks, whose vertices all have size 1
//   tree   at least as many slots as there are ranks
//   seed   seed of the random choices
//   work   arcs to visit, about; decides how many bisections are tried at each step, at least one, and the steps of
//          the annealing
//   watch  time budget; once it has ended, the remaining ranks are placed in the order in which they are held, and
//          nothing is thrown
//   memory of the bisections of this graph, which need not be made again then; does not change the result; null: none
// Returns the slot of each rank.
std::vector<std::int32_t> multisection(const mapping::Graph& graph, const mapping::LeafTree& tree, std::uint64_t seed,
                                       std::int64_t work, const mapping::WorkBudget& watch,
                                       Annealing annealing = Annealing::none,
                                       mapping::BisectionMemory* memory = nullptr);

}  // namespace placement::treematch

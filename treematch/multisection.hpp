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
  of_irregular_parts,  // for irregular traffic: more annealing steps, and fewer bisections before them
};

// Maps the ranks from the root downwards [TM §5]. At each vertex, its ranks are split into parts for its children, with
// little traffic between the parts. If the tree has more slots than ranks, each vertex uses the fewest children that
// hold its ranks. The traffic decides how many ranks each child takes.
//   graph  traffic between the ranks, whose vertices all have size 1
//   tree   at least as many slots as there are ranks
//   seed   seed of the random choices
//   work   arcs to visit, about; decides how many bisections are tried at each step, at least one, and the steps of
//          the annealing
//   watch  time budget; once it has ended, the remaining ranks are placed in order, and nothing is thrown
//   memory bisections of this graph that need not be made again; null: none. Does not change the result
// Returns the slot of each rank.
std::vector<std::int32_t> multisection(const mapping::Graph& graph, const mapping::LeafTree& tree, std::uint64_t seed,
                                       std::int64_t work, const mapping::WorkBudget& watch,
                                       Annealing annealing = Annealing::none,
                                       mapping::BisectionMemory* memory = nullptr);

}  // namespace placement::treematch

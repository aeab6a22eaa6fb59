// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "sim/machine.hpp"

namespace placement::sim {

// The way in which users ask stock Slurm for cores. A log does not have it.
enum class StockRequest {
  nodes,  // the fewest nodes that hold the tasks, evenly filled (sbatch -N): the better stock placement
  tasks,  // only a number of tasks (sbatch -n): any node with a free core can be used
};

// Returns the leaves of the cores that stock Slurm with topology/tree and select/cons_tres gives to a job, in the
// natural order of its ranks. Leaf switches are chosen one after the other, near to those already chosen. The smallest
// leaf switch that holds all that is still wanted comes first, otherwise the one with the most nodes. Its nodes are
// taken in their order, and each is filled before the next. With StockRequest::nodes, nodes with fewer free cores than
// an even share are used only if the others do not suffice.
// On a torus Slurm has no topology/tree. The smallest sufficient run of consecutive node numbers is then taken,
// otherwise the largest runs.
// Throws Error when `tasks` is below 1 or above the number of free cores.
std::vector<std::int32_t> stock_choice(const Machine& machine, std::int32_t tasks, StockRequest request);

}  // namespace placement::sim

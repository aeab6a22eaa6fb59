// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine.hpp"

namespace placement::sim {

// How users ask stock Slurm for cores. A log does not contain this.
enum class StockRequest {
  nodes,  // the fewest nodes that hold the tasks (sbatch -N): the better stock placement. If too few nodes have room
          // for an even share of the tasks, all nodes are used; Slurm would let the job wait
  tasks,  // only a number of tasks (sbatch -n): any node with a free core can be used. Slurm then requires one node, so
          // every leaf switch suffices, and the one with the fewest offered nodes comes first
};

// Cores on one node.
struct NodeShare {
  std::int32_t node = 0;
  std::int32_t cores = 0;
};

// Returns the leaves of the cores that stock Slurm with topology/tree and select/cons_tres gives to a job, in the
// natural order of its ranks. The smallest sufficient leaf switch is chosen. If none suffices, the leaf switch with the
// most nodes is chosen, then near ones. Nodes are filled in their order. With StockRequest::nodes, nodes without
// room for an even share are used only if the others do not suffice. On a torus, the smallest sufficient run of
// consecutive nodes is taken, else the largest runs. Throws Error when `tasks` is below 1 or above the number of free
// cores.
std::vector<std::int32_t> stock_choice(const Machine& machine, std::int32_t tasks, StockRequest request);

// Returns the nodes that stock_choice() takes, in the order of the nodes, with the number of cores that the job gets on
// each. `free` has the free cores of each node of the machine, now or at another time. Returns nothing when they are
// fewer than `tasks`. `tasks` must be at least 1.
std::vector<NodeShare> stock_nodes(const Machine& machine, std::span<const std::int32_t> free, std::int32_t tasks,
                                   StockRequest request);

}  // namespace placement::sim

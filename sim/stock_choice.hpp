// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "sim/machine.hpp"

namespace placement::sim {

// What users ask stock Slurm for, which a log does not tell.
enum class StockRequest {
  nodes,  // as few nodes as can hold the tasks, evenly filled (sbatch -N): the better stock placement
  tasks,  // only a number of tasks (sbatch -n): any node with a free core is welcome
};

// The cores that stock Slurm with topology/tree and select/cons_tres gives to a job, in the natural
// order of its ranks. Leaf switches one after the other: the tightest that holds all that is still
// wanted, else the one with most nodes, near to those taken; its nodes in their order, each filled
// before the next. With StockRequest::nodes, nodes that are too full for an even share come in only
// when the others do not suffice. On a torus, where Slurm has no topology/tree, the tightest run of neighbouring
// node numbers that is enough, else the largest ones. The machine must have so many free cores.
std::vector<std::int32_t> stock_choice(const Machine& machine, std::int32_t tasks, StockRequest request);

}  // namespace placement::sim

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Maps the vertices of a graph greedily. Pairs are taken in the order of decreasing traffic, and each new vertex gets a
// free slot near its partner. Returns the slot of each vertex. Throws OutOfTime.
//   free  take_any() returns a free slot, and take_near(slot) one as near to `slot` as possible; both take it
template <typename FreeSlots>
std::vector<std::int32_t> greedy_slots(const Graph& graph, FreeSlots free, const WorkBudget& watch) {
  std::vector<std::int32_t> slot(graph.vertices(), -1);
  for (const HeavyPair& pair : pairs_by_weight(graph, watch)) {
    watch.spend(1);
    if (slot[pair.a] >= 0 && slot[pair.b] >= 0) continue;
    if (slot[pair.a] < 0 && slot[pair.b] < 0) slot[pair.a] = free.take_any();
    if (slot[pair.a] < 0)
      slot[pair.a] = free.take_near(slot[pair.b]);
    else
      slot[pair.b] = free.take_near(slot[pair.a]);
  }
  for (std::int32_t& s : slot)
    if (s < 0) s = free.take_any();
  return slot;
}

// Maps the ranks greedily to leaves of a tree, as an upper bound of the cost for all other searches. Among equally near
// leaves, takes leaves in the subtrees with the fewest free leaves. Returns the leaf of each rank. Throws OutOfTime.
//   leaves  at least one per rank, without duplicates
std::vector<std::int32_t> greedy_leaves(const Graph& graph, const TreeTopology& tree, std::vector<std::int32_t> leaves,
                                        const WorkBudget& watch = WorkBudget());

}  // namespace placement::mapping

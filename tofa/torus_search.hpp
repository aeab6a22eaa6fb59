// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"
#include "tofa/route_faults.hpp"

namespace placement {

// The places that ranks can take on a torus: `position` of each slot. Slots of one node share one.
struct TorusSlots {
  const TorusTopology* torus = nullptr;
  std::vector<std::int32_t> position;
  const RouteFaults* faults = nullptr;  // null: no node is suspect

  std::int32_t size() const { return static_cast<std::int32_t>(position.size()); }
};

// How the search begins: `hot` forgets the mapping given, `warm` repairs it in the large, `cool` polishes.
enum class Heat { cool, warm, hot };

inline constexpr std::int64_t full_suspect_hops = 64;

// Simulated annealing on the true objective: traffic times hops, and for each pair that talks through
// suspect nodes as if the way were so many hops longer for each of them. A rank is offered a slot next to one of its partners; whoever is there changes
// places with it. `slot` has one slot per rank, all different; slots that hold no rank are taken too, where
// there are some. The mapping is never worse than before. About so many units of work (arcs visited).
void anneal(const Graph& graph, const TorusSlots& slots, std::vector<std::int32_t>& slot, std::int64_t work,
            Heat heat, std::uint64_t seed, const WorkBudget& watch, std::int64_t suspect_hops = full_suspect_hops);

// What anneal() minimises, with full_suspect_hops.
std::int64_t search_cost(const Graph& graph, const TorusSlots& slots, const std::vector<std::int32_t>& slot);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"
#include "tofa/route_faults.hpp"

namespace placement::tofa {

// The slots on a torus: `position` has the torus position of each slot. Slots of one node share a position.
struct TorusSlots {
  const TorusTopology* torus = nullptr;
  std::vector<std::int32_t> position;
  const RouteFaults* faults = nullptr;  // null: no node is suspect

  std::int32_t size() const { return static_cast<std::int32_t>(position.size()); }
};

inline constexpr std::int32_t nobody = -1;  // the owner of a free slot

// The temperatures of the search. `hot` discards the given mapping, `warm` changes its large structure, and `cool`
// changes details. `steady` also discards the mapping, and stays at the temperature that gains most. In equal time, it
// saves 3 to 5 % more hop-bytes than `hot` with irregular traffic.
enum class Heat { cool, warm, hot, steady };

// The penalty in hops for each suspect node on the routes of a pair.
inline constexpr std::int64_t full_suspect_hops = 64;

// Improves `slot`, the slot of each rank, all different, by simulated annealing. Minimises traffic times hops, with
// `suspect_hops` more hops for each suspect node on the routes of a pair. A move takes a rank to a slot next to a
// partner, free or not; a rank there gets the slot that became free. The result never costs more than the given
// mapping. When the time of `watch` ends, the search ends early; nothing is thrown.
//   graph  the traffic between ranks, scaled
//   work   approximate number of arcs to visit
void anneal(const mapping::Graph& graph, const TorusSlots& slots, std::vector<std::int32_t>& slot, std::int64_t work,
            Heat heat, std::uint64_t seed, const mapping::WorkBudget& watch,
            std::int64_t suspect_hops = full_suspect_hops);

// Returns the value that anneal() minimises, with full_suspect_hops, for the mapping `slot`.
std::int64_t search_cost(const mapping::Graph& graph, const TorusSlots& slots, const std::vector<std::int32_t>& slot);

class ExpectedTimeObjective;

// Improves `slot`, the slot of each rank, by moves of one rank to a free slot and by exchanges of two ranks. Candidates
// are ranks with traffic on the busiest links, and ranks whose node or routes may fail. A move is kept if it lowers the
// expected time of `objective`, or if it evens out the link loads at an equal expected time. The result is
// deterministic. When the time of `watch` ends, `slot` has the best mapping so far; nothing is thrown.
//   graph  the traffic between ranks, scaled
//   slots  the torus position of each slot, at least one slot per rank
//   work   approximate limit of the work, in links walked
//   seed   seed of the order of the ranks
void relieve_links(const mapping::Graph& graph, const TorusSlots& slots, const ExpectedTimeObjective& objective,
                   std::vector<std::int32_t>& slot, std::int64_t work, std::uint64_t seed,
                   const mapping::WorkBudget& watch);

}  // namespace placement::tofa

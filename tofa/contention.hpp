// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/fault_model.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

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

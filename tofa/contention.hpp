// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/fault_model.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

// Improves the mapping `slot` (the slot of each rank) by single moves: a rank moves to a free slot, or two ranks
// exchange their slots. A move is kept when it lowers the expected time of `objective`. When the expected time is
// equal, it is kept if it makes the link loads more even. Ranks with traffic on the busiest links are tried, and ranks
// whose own position or routes have nodes that may fail.
//   graph   the traffic between ranks, scaled
//   slots   the torus position of each slot; there may be more slots than ranks
//   work    the approximate limit of work, in links walked
//   seed    of the random order; the result is deterministic
//   watch   when the deadline has passed, the best mapping so far remains in `slot`; nothing is thrown
void relieve_links(const mapping::Graph& graph, const TorusSlots& slots, const ExpectedTimeObjective& objective,
                   std::vector<std::int32_t>& slot, std::int64_t work, std::uint64_t seed,
                   const mapping::WorkBudget& watch);

}  // namespace placement::tofa

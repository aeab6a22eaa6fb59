// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/fault_model.hpp"
#include "tofa/torus_search.hpp"

namespace placement {

// Moves single ranks, or lets two change places, as long as that makes the expected time of `judge` less: those
// whose traffic is on the busiest links, and those that meet nodes that may fail. Between mappings of the same expected
// time the one with the more even links. `slot` as anneal() has it; about so many units of work (links gone
// along). Deterministic.
void relieve_links(const Graph& graph, const TorusSlots& slots, const ExpectedTimeObjective& objective, std::vector<std::int32_t>& slot,
                   std::int64_t work, std::uint64_t seed, const WorkBudget& watch);

}  // namespace placement

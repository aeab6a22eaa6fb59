// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/slot_bisection.hpp"

namespace placement {

// Ranks are cut in two again and again where little traffic is, and the halves go to those halves of the slots that
// are nearer to their partners elsewhere. `cuts` are of as many slots as the graph has vertices. Returns the slot of
// each rank. Throws OutOfTime.
std::vector<std::int32_t> torus_bisection(const Graph& graph, const TorusSlots& slots, const SlotCuts& cuts,
                                          std::uint64_t seed, std::int32_t tries, const WorkBudget& watch);

}  // namespace placement

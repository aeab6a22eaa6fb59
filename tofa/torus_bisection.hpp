// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/slot_bisection.hpp"

namespace placement::tofa {

// Maps ranks to slots by recursive bisection. The ranks are cut in two where little traffic crosses the cut. Each half
// of the ranks goes to the half of the slots that is nearer to its partners outside of the part. Halves of
// unequal size are not exchanged for this.
//   graph   the traffic between ranks, scaled
//   cuts    a bisection of exactly as many slots as the graph has vertices
//   seed    seed of the bisections
//   tries   starts of each bisection
// Returns the slot of each rank. Throws OutOfTime.
std::vector<std::int32_t> torus_bisection(const mapping::Graph& graph, const TorusSlots& slots, const SlotCuts& cuts,
                                          std::uint64_t seed, std::int32_t tries, const mapping::WorkBudget& watch);

}  // namespace placement::tofa

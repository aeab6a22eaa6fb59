// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/torus_search.hpp"

namespace placement {

// Ranks and slots are cut in two again and again, the ranks where little traffic is, the slots across
// the dimension in which they reach farthest, and the halves of ranks go to those halves of slots that are
// nearer to their partners elsewhere. `among` are as many slots as the graph has vertices. Returns the slot
// of each rank. Throws OutOfTime.
std::vector<std::int32_t> torus_bisection(const Graph& graph, const TorusSlots& slots,
                                          const std::vector<std::int32_t>& among, std::uint64_t seed,
                                          std::int32_t tries, const Watch& watch);

}  // namespace placement

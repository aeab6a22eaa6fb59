// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/slot_bisection.hpp"

namespace placement {

// Where ranks lie in a space of three dimensions, found from their traffic: most applications on a
// grid talk to neighbours on it.
using RankPoints = std::vector<std::array<std::int32_t, 3>>;

// Ranks numbered through a box, x fastest: that box a x b x c with a b c = ranks in which most traffic has the
// fewest steps to go, rings or not. None where even there traffic goes far.
std::optional<RankPoints> points_by_number(const Graph& graph, const WorkBudget& watch);

// By distances in the graph of the heavy pairs from some ranks that are far from each other: principal
// components, as many as dimensions are wanted (1 to 3; the others are 0), turned until the ranks fill a box. None where
// the graph is in pieces.
std::optional<RankPoints> points_by_distance(const Graph& graph, std::size_t dimensions, std::uint64_t seed, const WorkBudget& watch);

// Ranks to slots along the cuts of these, as many as ranks: ranks are cut across the axis that `axis_of` has for the
// dimension of the slots (dimensions beyond the third: the last axis).
std::vector<std::int32_t> map_points(const RankPoints& points, const std::array<std::size_t, 3>& axis_of,
                                     const SlotCuts& cuts, const WorkBudget& watch);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/torus_search.hpp"

namespace placement {

// Where ranks lie in a space of three dimensions, found from their traffic: most applications on a
// grid talk to neighbours on it.
using RankPoints = std::vector<std::array<std::int32_t, 3>>;

// Ranks numbered through a box, x fastest: that box a x b x c with a b c = ranks in which most traffic has the
// fewest steps to go, rings or not. None where even there traffic goes far.
std::optional<RankPoints> points_by_number(const Graph& graph, const Watch& watch);

// By distances in the graph of the heavy pairs from some ranks that are far from each other: principal
// components, turned until the ranks fill a box. None where the graph is in pieces.
std::optional<RankPoints> points_by_distance(const Graph& graph, std::uint64_t seed, const Watch& watch);

// Ranks to slots by cutting both in two again and again, slots across the dimension in which they reach
// farthest and ranks across the axis that `axis_of` has for it (dimensions beyond the third: the last axis).
// `among` are as many slots as ranks.
std::vector<std::int32_t> map_points(const RankPoints& points, const std::array<std::size_t, 3>& axis_of,
                                     const TorusSlots& slots, const std::vector<std::int32_t>& among,
                                     const Watch& watch);

}  // namespace placement

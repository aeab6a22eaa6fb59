// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/slot_bisection.hpp"

namespace placement::tofa {

// A point in a space of three dimensions for each rank. The points are derived from the traffic alone, because most
// applications that compute on a grid communicate with neighbours on it.
using RankPoints = std::vector<std::array<std::int32_t, 3>>;

// Numbers the ranks through a box of a x b x c points, x fastest, with a b c = number of ranks. The box is the one in
// which traffic crosses the fewest grid steps; each dimension of the box counts as a ring. For large graphs a sample
// of the arcs is used. Returns nothing when the mean traffic crosses more than two steps even in this box, or when
// there is no traffic. Throws OutOfTime.
std::optional<RankPoints> points_by_number(const mapping::Graph& graph, const mapping::WorkBudget& watch);

// Derives points from distances in the graph of the heavy arcs. Distances are taken from some ranks that are far from
// each other. Their principal components become coordinates, which are rotated until the ranks fill a box evenly.
//   dimensions  the number of coordinates that are computed, 1 to 3; the others are 0
//   seed        for the start of the power iteration
// Returns nothing when the graph of heavy arcs is not connected, or has less than 8 ranks. Throws OutOfTime.
std::optional<RankPoints> points_by_distance(const mapping::Graph& graph, std::size_t dimensions, std::uint64_t seed,
                                             const mapping::WorkBudget& watch);

// Maps ranks to slots by cutting both along the same tree of cuts. Where `cuts` divides slots across dimension d, the
// ranks are divided across axis `axis_of[d]` of their points; dimensions beyond the third use axis_of[2]. `points` and
// `cuts.slots` have the same length. Returns the slot of each rank. Throws OutOfTime.
std::vector<std::int32_t> map_points(const RankPoints& points, const std::array<std::size_t, 3>& axis_of,
                                     const SlotCuts& cuts, const mapping::WorkBudget& watch);

}  // namespace placement::tofa

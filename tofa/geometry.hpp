// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/slot_bisection.hpp"

namespace placement::tofa {

// A point in three dimensions for each rank, derived only from the traffic: most applications that compute on a grid
// communicate with neighbours on it.
using RankPoints = std::vector<std::array<std::int32_t, 3>>;

// Numbers the ranks through a box of a x b x c points, x fastest, with a b c = number of ranks. Takes the box whose
// traffic crosses the fewest grid steps; each dimension counts as a ring. For large graphs a sample of the arcs is
// used. Returns nothing without traffic, or if the mean traffic crosses more than two steps even in this box. Throws
// OutOfTime.
std::optional<RankPoints> points_by_number(const mapping::Graph& graph, const mapping::WorkBudget& watch);

// Derives points from distances in the graph of the heavy arcs, measured from some ranks that are far from each other.
// The principal components of the distances become coordinates, which are rotated until the ranks fill a box evenly.
//   dimensions  the number of coordinates to compute, 1 to 3; the others are 0
//   seed        seed of the power iteration
// Returns nothing when the graph of heavy arcs is not connected or has fewer than 8 ranks. Throws OutOfTime.
std::optional<RankPoints> points_by_distance(const mapping::Graph& graph, std::size_t dimensions, std::uint64_t seed,
                                             const mapping::WorkBudget& watch);

// Maps ranks to slots by cutting both along one tree of cuts. If `cuts` divides slots across dimension d, the ranks are
// divided across axis `axis_of[d]` of their points; dimensions beyond the third use axis_of[2]. `points` and
// `cuts.slots` have equal lengths. Returns the slot of each rank. Throws OutOfTime.
std::vector<std::int32_t> map_points(const RankPoints& points, const std::array<std::size_t, 3>& axis_of,
                                     const SlotCuts& cuts, const mapping::WorkBudget& watch);

}  // namespace placement::tofa

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"

namespace placement::treematch {

// How the vertices of a graph are matched in pairs.
enum class Pairing {
  heaviest_first,  // takes pairs by falling traffic: at least half of the maximum weight, in nearly linear time
  maximum_weight,  // finds a matching of maximum weight [JA §2]
  assignment,      // the Hungarian method as published [JA §2], for up to 2,048 vertices
};

// Matches the vertices of a graph in pairs with much traffic. Returns the partner of each vertex, or -1. The result is
// deterministic; with heaviest_first, ties go to the pair with the lower vertices. Throws Error when there are too many
// vertices for an assignment, and for maximum_weight in a build without LEMON.
std::vector<std::int32_t> paired(const mapping::Graph& graph, Pairing pairing);

}  // namespace placement::treematch

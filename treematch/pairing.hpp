// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

enum class Pairing {
  heaviest_first,  // pairs by falling traffic, at least half of the maximum, near linear time
  maximum_weight,  // a matching of maximum weight [JA §2]
};

// The partner of each vertex, or -1. The watch has no influence on a matching of maximum weight.
// Deterministic: equal pairs come in the order of their vertices.
std::vector<std::int32_t> paired(const Graph& graph, Pairing pairing, const WorkBudget& watch = WorkBudget());

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/util/deadline.hpp"
#include "tofa/torus_search.hpp"

namespace placement {

struct TorusMapOptions {
  std::uint64_t seed = 1;
  std::int32_t effort = 10;   // how long is searched: 1 takes about the time of SCOTCH, 10 ten times that
  Deadline deadline = Deadline::never();
};

// A mapping, and which way it was found.
struct TorusMapping {
  std::vector<std::int32_t> slot_of_rank;
  std::string method;
};

// Maps ranks to slots of a torus with few hop-bytes, and off the routes through suspect nodes [TOFA §4].
// sets: each as many slots as there are ranks, ascending; mappings start on one of these. Returns what was
// found in different ways, in the order in which it was found: the natural order on the first set, greedy, and
// then others, of which each is better in search_cost() than all before. Slots outside the sets are taken too. Deterministic for the same
// input and seed as long as the deadline is not met. At least one mapping comes back, whatever the deadline.
std::vector<TorusMapping> map_to_torus(const CommMatrix& matrix, const TorusSlots& slots,
                                       const std::vector<std::vector<std::int32_t>>& sets,
                                       const TorusMapOptions& options);

// The heaviest pairs first, each rank as near as possible to the partner that is placed.
std::vector<std::int32_t> greedy_on_torus(const Graph& graph, const TorusSlots& slots, const WorkBudget& watch);

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/util/deadline.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

// The seed and the limits of map_to_torus().
struct TorusMapOptions {
  std::uint64_t seed = 1;
  std::int32_t effort = 10;  // work of the search: 1 takes about as long as SCOTCH, 10 ten times as long
  Deadline deadline = Deadline::never();
};

// A mapping, and the method that found it.
struct TorusMapping {
  std::vector<std::int32_t> slot_of_rank;
  std::string method;
};

// Maps ranks to slots of a torus with few hop-bytes, and avoids routes through suspect nodes [TOFA §4]. Returns the
// natural order on the first set, the greedy mapping if there is time, and then mappings each with a lower
// search_cost() than all before it. Equal input gives equal results unless the deadline passes.
//   slots  the torus position of each slot that may be used
//   sets   at least one set of slots where mappings start, each ascending with one slot per rank; the search may use
//          other slots, too
std::vector<TorusMapping> map_to_torus(const CommMatrix& matrix, const TorusSlots& slots,
                                       const std::vector<std::vector<std::int32_t>>& sets,
                                       const TorusMapOptions& options);

// Returns a greedy mapping: the slot of each rank. Takes pairs by falling traffic; each rank gets the free slot nearest
// to its partner. There must be at least as many slots as ranks. Throws OutOfTime.
std::vector<std::int32_t> greedy_on_torus(const mapping::Graph& graph, const TorusSlots& slots,
                                          const mapping::WorkBudget& watch);

}  // namespace placement::tofa

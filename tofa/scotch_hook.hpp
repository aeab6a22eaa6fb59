// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "tofa/torus_search.hpp"

namespace placement {

// A mapping that SCOTCH is asked for.
struct ScotchTask {
  const CommMatrix* matrix = nullptr;
  TorusSlots slots;         // as many as ranks, or more
  bool raised = false;      // the whole machine with the weights of eq. 1; else the slots as a part of it [TOFA §4]
  std::uint64_t seed = 1;
};

// The slot of each rank, all different. Throws Error when SCOTCH fails.
using ScotchMapper = std::vector<std::int32_t> (*)(const ScotchTask&);

// SCOTCH is no part of this library: a program that has it says so. slurmctld never does.
void provide_scotch(ScotchMapper mapper);
ScotchMapper scotch_mapper();  // null: there is none

}  // namespace placement

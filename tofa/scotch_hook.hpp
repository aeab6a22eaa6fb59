// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

// The input of a mapping by SCOTCH.
struct ScotchTask {
  const CommMatrix* matrix = nullptr;  // the traffic between ranks, never null in use
  TorusSlots slots;                    // at least as many slots as ranks
  bool raised = false;     // true: maps to the whole machine, with eq. 1; false: to `slots` alone [TOFA §4]
  std::uint64_t seed = 1;  // seed of SCOTCH
};

// A function that maps ranks with SCOTCH. It returns the slot of each rank, all different. It throws Error when SCOTCH
// fails.
using ScotchMapper = std::vector<std::int32_t> (*)(const ScotchTask&);

// Registers the SCOTCH mapper of this process. This library does not contain SCOTCH. A program that is linked with
// SCOTCH registers its mapper here; slurmctld and srun never do.
inline ScotchMapper registered_scotch = nullptr;  // null: no mapper is registered
inline void provide_scotch(ScotchMapper mapper) { registered_scotch = mapper; }
inline ScotchMapper scotch_mapper() { return registered_scotch; }

// The ScotchMapper that uses libscotch. It sets SCOTCH_PTHREAD_NUMBER to 1 in the environment, so that SCOTCH uses one
// thread and gives equal results for equal seeds.
std::vector<std::int32_t> scotch_map(const ScotchTask& task);

}  // namespace placement::tofa

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "common/util/environment.hpp"

namespace placement::mpi {

// Returns whether srun started this process, one of `ranks` in MPI_COMM_WORLD. Slurm's variables in the environment
// then describe the node of the process. A process that mpirun started may have inherited the environment of mpirun's
// node. All processes get the same answer. If mpirun starts one process per node, all processes of a node do.
inline bool started_by_srun(std::int32_t ranks) {
  return std::to_string(ranks) == environment_value("SLURM_STEP_NUM_TASKS");
}

}  // namespace placement::mpi

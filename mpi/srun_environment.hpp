// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <unistd.h>

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

// Returns the name of the node of this process, one of `ranks` in MPI_COMM_WORLD: Slurm's name if srun started it,
// because nodes may share a host name; else the host name without its domain.
inline std::string node_name(std::int32_t ranks) {
  const std::string of_slurm = started_by_srun(ranks) ? environment_value("SLURMD_NODENAME") : "";
  if (!of_slurm.empty()) return of_slurm;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string name = host;
  return name.substr(0, name.find('.'));
}

}  // namespace placement::mpi

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// The map from ranks to nodes that MPI reads from srun: "(vector,(first node,nodes,ranks per node),..)". Slurm's pmi2
// plugin writes it from the layout of the step. The form of the map depends on the distribution in the layout.
struct ProcessMap {
  bool plane = true;  // the distribution is SLURM_DIST_PLANE; false: SLURM_DIST_CYCLIC
  std::string text;
};

// Returns the shortest map that Slurm 22.05 to 26.05 can write for a step under `srun --mpi=MPI_TYPE`, and its
// distribution. `ranks_of_node` has the ranks of each node, ascending. For SLURM_DIST_PLANE, Slurm merges successive
// ranks of a node, and successive nodes with equal numbers of ranks. For SLURM_DIST_CYCLIC, it merges successive ranks
// on successive nodes. The pmix plugin always writes the map of SLURM_DIST_PLANE. Other distributions are not used:
// SLURM_DIST_BLOCK reports only numbers of tasks, and SLURM_DIST_ARBITRARY one rank per node before Slurm 24.05.
ProcessMap shortest_map(const std::vector<std::vector<std::uint32_t>>& ranks_of_node, std::string_view mpi_type);

// Returns the length in bytes of the longest map that an MPI program can read under `srun --mpi=MPI_TYPE`.
// - pmi2: the PMI-1 client in MPICH 4.0 and 4.1 has 1,024 bytes for the names and the value of a key. Slurm claims 256
//   and 64 of them for the names, and the client sets aside 30. A longer map is truncated, and MPI_Init aborts.
// - pmix: the map is an environment variable. Slurm accepts less than 128 KiB for each, as Linux does.
// - other types pass no map. An empty type is unknown and has the limit of pmi2.
std::size_t longest_map(std::string_view mpi_type);

}  // namespace placement

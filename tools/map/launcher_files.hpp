// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "spank/step/sequential_hostfile.hpp"

namespace placement::tools {

// A mapping as launchers read it. `view` has the nodes, in the order of the allocation.
struct Layout {
  const ClusterView& view;
  const std::vector<RankPlace>& places;  // node and cores of each rank
  spank::CoreNumbering numbering;        // how mpirun numbers the cores of a node
  std::int32_t processes_per_rank = 1;   // of torchrun: processes that a rank of the mapping starts
};

// A file or a list of options for a launcher.
struct LauncherFormat {
  std::string_view name;                      // the word of `placectl map --format`
  std::string (*text)(const Layout& layout);  // throws Error if the launcher cannot start ranks in this mapping
};

// Returns the format of this name, or null.
const LauncherFormat* find_launcher_format(std::string_view name);

// Returns the names of all formats, for a message.
std::string launcher_format_names();

// Returns the node of each rank, one per line: SLURM_HOSTFILE for `srun -m arbitrary`, or Open MPI's `--map-by seq`.
std::string format_hostfile(const Layout& layout);

// Returns lines "NODE:RANKS", a line for each run of successive ranks on one node, for `mpiexec -machinefile` of
// MPICH and Intel MPI. With -f, Intel MPI uses only the first line of each node.
std::string format_machinefile(const Layout& layout);

}  // namespace placement::tools

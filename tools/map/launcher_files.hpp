// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "spank/mpirun/sequential_hostfile.hpp"

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
  std::string (*text)(const Layout& layout);  // throws Error if the launcher cannot have this mapping
};

// Returns the format of this name, or null.
const LauncherFormat* find_launcher_format(std::string_view name);

// Returns the names of all formats, for a message.
std::string launcher_format_names();

// Returns the node of each rank, one per line: SLURM_HOSTFILE for `srun -m arbitrary`, and Open MPI's hostfile for
// `--map-by seq` without cores.
std::string format_hostfile(const Layout& layout);

// Returns Open MPI's rankfile, with lines such as "rank 0=n1 slot=1:2,3" (socket 1, cores 2 and 3). Throws Error if
// ranks have no cores.
std::string format_rankfile(const Layout& layout);

// Returns lines "NODE:RANKS", a line for each run of successive ranks on one node, for Hydra's `mpiexec -f`.
std::string format_machinefile(const Layout& layout);

// Returns the ranks in the order of the nodes and of their first cores, one line per node, separated by commas. Cray
// MPICH reads it with MPICH_RANK_REORDER_METHOD=3.
std::string format_rank_order(const Layout& layout);

// Returns one line for each node, in the order of its ranks: the node, and the options for torchrun there. Throws Error
// unless each node has one run of successive ranks, and all runs are of one length.
std::string format_torchrun(const Layout& layout);

// Returns the options for srun with SLURM_HOSTFILE.
std::string format_srun(const Layout& layout);

}  // namespace placement::tools

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/cluster_view.hpp"

namespace placement {

// The names in a Slurm host list ("n[1-3,7]"), in its order. Throws Error when it is malformed.
std::vector<std::string> expand_hostlist(const std::string& list);

// The nodes named, in that order, within the whole machine's tree as slurmctld knows it: its
// switches (none without topology/tree) and the sockets and cores of every node. All cores are
// free; with a job, those that it has. Asks slurmctld by libslurm's public calls, as the calling
// user. Throws Error when slurmctld does not answer, or does not show such a node or job.
ClusterView load_cluster_view(std::span<const std::string> names, std::uint32_t job = 0);

// Marks the cores of a list as Slurm writes it ("0-2,5"); false when it is not one, or names a
// core that is not there.
bool mark_cores(const std::string& list, std::vector<bool>& core);

}  // namespace placement

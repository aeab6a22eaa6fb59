// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/topology/cluster_view.hpp"
#include "sim/occupancy.hpp"

namespace placement::tools {

// Returns the name of the cluster, for own_topology(). Outside a job, asks slurmctld. Throws Error if it does not
// answer.
std::string name_of_cluster();

// Returns the machine of all nodes that slurmctld shows the caller, by view_of_shown(). All cores of a node are free,
// unless it is down, drained or powered down, so that no job could start there. Throws Error, also on a host without a
// slurm.conf.
ClusterView machine_of_slurmctld(const std::string& cluster = {});

// Returns the measures of this machine with the running jobs that slurmctld shows to the caller. Throws Error.
sim::Occupancy occupancy_now(const ClusterView& view);

}  // namespace placement::tools

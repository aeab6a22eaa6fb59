// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/topology/cluster_view.hpp"
#include "sim/occupancy.hpp"

namespace placement::tools {

// Returns the machine of all nodes that slurmctld shows the caller, with its switches or blocks. All cores of a node
// are free, unless it is down, drained or powered down, so that no job could start there. Throws Error, also on a host
// without a slurm.conf.
ClusterView machine_of_slurmctld();

// Returns the measures of this machine with the running jobs that slurmctld shows to the caller. Throws Error.
sim::Occupancy occupancy_now(const ClusterView& view);

}  // namespace placement::tools

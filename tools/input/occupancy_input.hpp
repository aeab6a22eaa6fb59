// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/topology/cluster_view.hpp"
#include "sim/occupancy.hpp"

namespace placement::tools {

// Returns the machine as slurmctld shows it: spank::load_machine_view(). Throws Error, also on a host without a
// slurm.conf.
ClusterView machine_of_slurmctld();

// Returns the measures of this machine with the running jobs that slurmctld shows to the caller. Throws Error.
sim::Occupancy occupancy_now(const ClusterView& view);

}  // namespace placement::tools

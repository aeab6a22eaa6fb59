// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "common/state/controller_state.hpp"
#include "common/topology/switch_tree.hpp"

namespace placement {

// Queries to slurmctld, as the calling user. Each throws Error when slurmctld does not answer; this may take as long as
// Slurm's message timeout. libslurm ends the process when it finds no slurm.conf.

// Returns the pairs that the select plugin (up to Slurm 24.11) and the MPI plugins report, as lines "name = value" for
// controller_state_of(). The text is empty when they report none.
std::string ask_controller();

// Returns the state of slurmctld. The first call in a process asks for it.
inline const ControllerState& controller_state() {
  static const ControllerState state = controller_state_of(ask_controller());
  return state;
}

// The end of the error text if slurmctld denies its answer to this user.
inline constexpr char private_nodes[] = " (PrivateData=nodes shows them to operators alone)";

// Returns the nodes that slurmctld knows, in its order. Throws Error if PrivateData=nodes hides them.
std::vector<NodeShape> ask_nodes();

// Returns the topology that the partition names, from Slurm 25.05 on; empty if it uses the topology of the cluster.
std::string ask_topology_of(const std::string& partition);

}  // namespace placement

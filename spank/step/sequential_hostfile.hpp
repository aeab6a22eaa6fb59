// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "spank/step/allocation.hpp"

namespace placement::spank {

// How Open MPI's mpirun numbers the cores of a node.
enum class CoreNumbering {
  unknown,     // ranks cannot be bound by number
  of_machine,  // mpirun numbers all cores of the node
  of_job,      // mpirun numbers only the cores of the job, because a cgroup hides the others
};

// Returns the numbering for a site. `configuration` is the output of "scontrol show config". The function reads
// TaskPlugin, SlurmdParameters and ConstrainCores (of cgroup.conf). The numbering is unknown if no task plugin binds
// tasks. It is also unknown with config_overrides, because nodes need not have the cores of slurm.conf then.
CoreNumbering core_numbering(std::string_view configuration);

// Returns the hostfile for mpirun --map-by seq, with one line for each rank: "NODE", or "NODE CORE[,CORE]..." if
// cores can be given. Cores are left out for all ranks if `numbering` is unknown or `placement` has no whole cores.
// They are also left out if a node has several sockets of one core each. Slurm describes a node in this way if
// slurm.conf does not give its cores.
std::string sequential_hostfile(const Allocation& allocation, const StepPlacement& placement, CoreNumbering numbering);

}  // namespace placement::spank

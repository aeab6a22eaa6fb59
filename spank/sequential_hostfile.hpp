// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spank/allocation.hpp"

namespace placement {

// How Open MPI's mpirun numbers the cores of a node.
enum class CoreNumbering {
  unknown,     // ranks cannot be bound by number
  of_machine,  // all cores of the node count
  of_job,      // only the cores of the job count, as a cgroup hides the others
};

// From what "scontrol show config" prints: TaskPlugin, SlurmdParameters, and ConstrainCores of cgroup.conf. Numbers are
// unknown where no task plugin binds, and with config_overrides, where nodes need not have the cores that slurm.conf says.
CoreNumbering core_numbering(std::string_view configuration);

// The hostfile from which mpirun --map-by seq takes one line for each rank: "NODE", or "NODE CORE[,CORE]..." where cores
// can be told. These are left out for all ranks where the plan has none, and where a node is declared as many sockets
// of one core, as nodes are whose cores slurm.conf does not tell.
std::string sequential_hostfile(const Allocation& allocation, const StepPlacement& placement, CoreNumbering numbering);

// Whether a script or command names a program by which MPI starts ranks: mpirun, mpiexec or orterun.
bool names_mpirun(std::string_view script);

// The first word of a script or command by which a user maps or binds the ranks of mpirun, as --rankfile or
// --oversubscribe; empty without one. In a script lines that begin with # do not count. --map-by and its short forms
// are none of these words, as mpirun prefers them to its environment.
std::string own_mapping_word(std::string_view script);

}  // namespace placement

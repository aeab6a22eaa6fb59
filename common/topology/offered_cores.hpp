// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Slurm gives jobs neither the cores that slurm.conf reserves for the system, nor nodes in some states.

// The reserved cores of a NodeName line. slurm.conf gives their number or their CPUs.
struct ReservedCores {
  std::int32_t count = 0;               // CoreSpecCount
  std::vector<std::int32_t> cpus = {};  // CpuSpecList, ascending; if there are any, `count` has no meaning
};

// Returns for each core of the node whether Slurm offers it to jobs. By a count Slurm reserves the last core of the
// last socket, then the last core of each socket before it, then the last but one of the last socket, and so on. With
// `from_first` (spec_cores_first) it starts with the first core of the first socket. A count that leaves no core means
// one core, as in Slurm. A CPU stands for the whole core; each core has NodeShape::cpus_per_core of them.
std::vector<bool> offered_cores(const NodeShape& node, const ReservedCores& reserved, bool from_first);

// Returns whether Slurm starts jobs on a node for which slurm.conf has this State=: it does not on DOWN, DRAIN, FAIL,
// ERROR and FUTURE. Returns nothing for a word that is no state.
std::optional<bool> takes_jobs(std::string_view state);

}  // namespace placement

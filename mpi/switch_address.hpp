// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace placement::mpi {

// Returns the names of the switches above a node, from the top. `address` and `pattern` are Slurm's
// SLURM_TOPOLOGY_ADDR ("core.rack3.n17") and SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node"), see srun(1). The name
// of a node may contain dots. The result is empty when the pattern is of another kind, the address is shorter than it,
// or there are no switches.
std::vector<std::string> switches_of_address(std::string_view address, std::string_view pattern);

}  // namespace placement::mpi

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// The names of the switches above a node, from the top, of Slurm's SLURM_TOPOLOGY_ADDR ("core.rack3.n17") and
// SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node"); srun(1) documents both. A node's name may contain dots. Empty
// where the pattern is of another kind, where the address is shorter than it, or without switches.
std::vector<std::string> switches_of_address(std::string_view address, std::string_view pattern);

}  // namespace placement

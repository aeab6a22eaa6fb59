// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"

namespace placement {

// The nodes of a torus in one row in which neighbours lie close together: those of each half of the torus, cut
// across its longest dimension, then those of the other, and so on within the halves. What is chosen in a row
// is then a compact block. A constant of the topology: neither health nor load plays a part.
std::vector<std::int32_t> nodes_in_a_row(const TorusTopology& torus);

}  // namespace placement

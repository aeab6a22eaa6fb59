// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"

namespace placement::tofa {

// Returns the nodes of a torus in one row in which neighbours lie close together, so that consecutive nodes form a
// compact block. The torus is cut in two across its longest dimension, each half is cut again, and the first half
// always precedes the second. The order depends on the topology alone, not on health or load.
std::vector<std::int32_t> nodes_in_a_row(const TorusTopology& torus);

}  // namespace placement::tofa

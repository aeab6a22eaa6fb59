// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

#include "common/topology/tree_topology.hpp"

namespace placement::mapping {

// Throws Error unless `usable` is ascending without duplicates, has only leaves of the tree, and has at least `ranks`
// entries.
void check_usable(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks);

}  // namespace placement::mapping

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/node_topology.hpp"

namespace placement::mapping {

// The cores of one rank on a node.
struct CoreSlot {
  std::vector<std::int32_t> cores;  // indices into NodeTopology::cores, ascending
  std::int32_t level = 0;           // 0: within one last-level cache, 1: one NUMA node, 2: one package, 3: the machine
};

// Returns slots of `width` cores each (at least 1), as many as the node has room for: as many as possible within one
// last-level cache, then from the cores that are left over in a NUMA node, in a package and in the machine. They are in
// the order of their first cores.
std::vector<CoreSlot> core_slots(const NodeTopology& node, std::int32_t width);

// Returns how far the cores of a slot are from a GPU of the node: the sum over its cores of 0 for one next to the GPU,
// else 1 in a package that has a core next to it, else 2.
std::int64_t slot_distance(const NodeTopology& node, const CoreSlot& slot, std::size_t gpu);

}  // namespace placement::mapping

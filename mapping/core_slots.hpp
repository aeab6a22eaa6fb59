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

// Returns all slots of `width` cores (at least 1) that the node has room for. As many as possible are within one
// last-level cache. The remaining cores are joined to slots within a NUMA node, then a package, then the machine. At
// each level, cores next to the same GPUs are joined first. The slots are in the order of their first cores.
std::vector<CoreSlot> core_slots(const NodeTopology& node, std::int32_t width);

// Returns the distance of a slot from a GPU of the node, summed over its cores. A core next to the GPU counts 0.
// Another core in a package that has a core next to the GPU counts 1, and any other core 2.
std::int64_t slot_distance(const NodeTopology& node, const CoreSlot& slot, std::size_t gpu);

}  // namespace placement::mapping

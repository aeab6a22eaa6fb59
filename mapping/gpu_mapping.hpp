// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/node_topology.hpp"

namespace placement::mapping {

// The GPU and the cores of one rank on a node.
struct GpuPlace {
  std::int32_t gpu = 0;             // index into NodeTopology::gpus
  std::vector<std::int32_t> cores;  // indices into NodeTopology::cores, ascending
};

// The GPUs and cores of all ranks on one node.
struct GpuMapping {
  std::vector<GpuPlace> of_rank;  // one entry per rank
  std::int64_t far = 0;           // sum of slot_distance() over the ranks; 0: all cores are next to their GPUs
  bool exact = true;              // no other mapping is better
};

// Assigns a GPU and `cores_per_rank` cores to each of `ranks` ranks of a node. Minimises, in this order: the distance
// of cores from GPUs, the traffic times gpu_costs(), and the ranks per network interface. The result is optimal with up
// to eight GPUs. Ties go to ranks in the order of their cores, on the first cores and GPUs.
//   traffic  traffic[rank * ranks + other], symmetric, 0 or more, with a sum below 2^31; empty: none is known
// Throws Error for more ranks than GPUs, too few cores, or more than 1,024 different slots.
GpuMapping map_to_gpus(const NodeTopology& node, std::int32_t ranks, std::int32_t cores_per_rank,
                       std::span<const std::int64_t> traffic);

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

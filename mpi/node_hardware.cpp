// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/node_hardware.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "common/util/cpu_list.hpp"

namespace placement::mpi {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, TopologyDeleter>;

// Loads packages, last-level caches and cores only, because other objects take time to find.
Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // This component would move the process to each CPU in turn, which takes longer the more processes there are.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

// Returns whether the process is bound to some of the CPUs. If it is not, it has no position, and the hardware need
// not be read.
bool is_bound() {
  const std::vector<std::int32_t> cpus = allowed_cpus();
  return cpus.empty() || std::ssize(cpus) < sysconf(_SC_NPROCESSORS_ONLN);
}

// Returns the index of the object of this type that contains the whole set; -1 when there is none.
std::int64_t covering(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t set) {
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));)
    if (hwloc_bitmap_isincluded(set, object->cpuset)) return object->logical_index;
  return -1;
}

}  // namespace

NodePosition node_position() {
  NodePosition position;
  if (!is_bound()) return position;
  const Topology topology = load();
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  if (topology && set && hwloc_get_cpubind(topology.get(), set, HWLOC_CPUBIND_PROCESS) == 0) {
    constexpr hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE};
    for (std::size_t level = 0; level < NodePosition::levels; ++level)
      position.path[level] = covering(topology.get(), types[level], set);
    // A machine may have no last-level cache. The level then has 0 for all processes, so that the core below it counts.
    if (position.path[1] < 0 && position.path[2] >= 0) position.path[1] = 0;
  }
  hwloc_bitmap_free(set);
  return position;
}

}  // namespace placement::mpi

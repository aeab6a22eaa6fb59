// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/topology/node_topology.hpp"

namespace placement {

// Reads the cores, GPUs and network interfaces of a node with libhwloc, for tools that run as the user. `source` is an
// XML file of hwloc of at most 16 MiB, or a synthetic description such as "package:2 core:8 pu:1". GPUs are in the
// order of RSMI or NVML if each has an index there, else of PCI bus IDs. A GPU gets the nearest InfiniBand or Slingshot
// interface, else the nearest other one; GPUs that are equally near to several get different ones. Throws Error on an
// incomplete file, on a node without cores, and on more parts than NodeTopology can hold.
NodeTopology read_node_topology(const std::string& source);

}  // namespace placement

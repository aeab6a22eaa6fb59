// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/topology/node_topology.hpp"

namespace placement {

// Reads the cores, GPUs and network interfaces of a node with libhwloc, for tools that run as the user. Slurm's plugins
// never parse XML.
//   source  an XML file of hwloc, as "lstopo node.xml" writes it, of at most 16 MiB. If no file has this name, it is a
//           synthetic description such as "package:2 core:8 pu:1", which has no GPUs
// GPUs are the PCI devices of AMD, Intel and NVIDIA that compute, in the order of RSMI or NVML if each has an index
// there, else of PCI bus IDs. Links come from hwloc's distances for NVLink, XGMI and Xe Link. The nearest network
// interface of a GPU is one of InfiniBand or Slingshot by PCI, or any other if there are none; GPUs equally near to
// several get different ones. Throws Error when the file cannot be read or is no complete XML of hwloc. Throws it also
// when the node has no cores or more parts than a NodeTopology takes.
NodeTopology read_node_topology(const std::string& source);

}  // namespace placement

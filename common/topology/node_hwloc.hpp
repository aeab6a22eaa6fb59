// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/topology/node_topology.hpp"

namespace placement {

// Reads the inside of a node with libhwloc, for tools that run as the user; no plugin of Slurm's parses XML.
//   source  an XML file of hwloc's, as "lstopo node.xml" writes it, of at most 16 MiB, or, where there is no file of
//   that name,
//           a synthetic description such as "package:2 core:8 pu:1", which has no GPUs
// GPUs are PCI devices of AMD's, Intel's and NVIDIA's that compute; where each has an index of RSMI or NVML, they are
// in that order, else in that of their PCI bus IDs. Their links are the distances NVLinkBandwidth, XGMIBandwidth,
// XeLinkBandwidth and XGMIHops; two GPUs at NVSwitches count as linked. The nearest network interface of a GPU is one
// of the InfiniBand or Slingshot interfaces by PCI, or of all others where there are none; GPUs that are as near to
// several get different ones. Throws Error when the file cannot be read, is no XML of hwloc's or is cut off, and when
// the node has no cores or more of anything than a NodeTopology takes.
NodeTopology read_node_topology(const std::string& source);

}  // namespace placement

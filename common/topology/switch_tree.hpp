// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/topology/cluster_view.hpp"

namespace placement {

struct SwitchShape {
  std::string name;
  std::int32_t parent = -1;         // index of the switch above, -1: none
  std::vector<std::int32_t> nodes;  // indices of the nodes that hang directly on it
};

struct NodeShape {
  std::string name;
  std::int32_t sockets = 1;
  std::int32_t cores_per_socket = 1;
  std::int32_t threads_per_core = 1;
  std::int32_t cpus_per_core = 1;  // that Slurm counts: its threads, or 1 where it is told of cores alone
};

// The machine as Slurm describes it: switches, nodes, sockets, cores; all cores free. View nodes are
// in the order of `nodes`. A level at which nothing branches anywhere (one socket in every node, one root
// switch) is left out, so that it adds no hops. Switches that have no switch above them are the tops of fabrics,
// numbered from 0 in the order of their lowest node. The tree joins several fabrics below a root of its own, which
// stands for no switch: NodeView::fabric tells which nodes a job can use together. Where there are switches, nodes
// on none of them hang on that root too, with `no_fabric`; without any switch all nodes are one fabric.
// Throws Error on a node under two switches, an index out of range, a cycle, or a count below 1.
ClusterView view_of_switches(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance = {});

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/tree_topology.hpp"

namespace placement {

class TorusTopology;

// A node as a policy sees it. Its cores are the leaves first_leaf .. first_leaf + cores() - 1 of the tree. They are in
// the order socket * cores_per_socket + core, which is also Slurm's numbering.
struct NodeView {
  std::string name;
  std::int32_t first_leaf = 0;
  std::int32_t sockets = 1;
  std::int32_t cores_per_socket = 1;
  std::int32_t threads_per_core = 1;
  std::vector<bool> core_free;   // one per core: whether this job may use it
  std::int32_t state = -1;       // index into ClusterView::live->nodes; -1: no live data of it
  std::int32_t torus_node = -1;  // number of the node in ClusterView::torus; -1: no coordinates
  std::int32_t fabric = 0;       // nodes of two fabrics have no switch in common: no job can use both
  std::vector<std::int32_t> gpus =
      {};  // in srun: the numbers of the GPUs that the job has there, ascending, as gres.conf counts them
  std::int32_t cores_per_cache = 0;  // successive cores of a socket that share a cache; 0: all of them, or not known

  std::int32_t cores() const { return sockets * cores_per_socket; }
};

// The fabric of a node without a switch, on a machine that has switches. Stock Slurm allocates this node to no job.
constexpr std::int32_t no_fabric = -1;

// The cluster as a policy sees it at the time of a decision. Only the listed nodes are offered to the job; the tree may
// have more.
struct ClusterView {
  std::shared_ptr<const TreeTopology> tree;
  std::vector<NodeView> nodes;  // in the caller's order, which the natural order of ranks follows
  std::shared_ptr<const TorusTopology> torus = nullptr;  // null: distances are those of the tree
  std::shared_ptr<const LiveState> live = nullptr;       // null: no live data, or too old to be used
  std::shared_ptr<const NodeOutages> outages = nullptr;  // the site's own, which replace those in `live`
  double live_age_s = unknown_value;                     // time since `live` was published; add it to ages in `live`
  std::string warning = {};                              // nodes of the topology file that the view does not have
  std::string why_not_live = {};                         // why `live` is null, for the user
};

}  // namespace placement

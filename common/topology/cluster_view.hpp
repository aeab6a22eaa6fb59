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

// A node as a policy sees it. Its cores are the leaves first_leaf .. first_leaf + cores() - 1 of
// the tree, in the order socket * cores_per_socket + core, which is also Slurm's numbering.
struct NodeView {
  std::string name;
  std::int32_t first_leaf = 0;
  std::int32_t sockets = 1;
  std::int32_t cores_per_socket = 1;
  std::int32_t threads_per_core = 1;
  std::vector<bool> core_free;  // one per core: usable by this job
  std::int32_t state = -1;       // index into ClusterView::live->nodes, or -1: nothing is known of it
  std::int32_t torus_node = -1;  // index into ClusterView::torus, or -1: it has no coordinates
  std::int32_t fabric = 0;       // nodes of different fabrics have no switch in common: Slurm never lets a job use both

  std::int32_t cores() const { return sockets * cores_per_socket; }
};

// The fabric of a node that is on no switch although the machine has switches: stock Slurm gives it to no job.
constexpr std::int32_t no_fabric = -1;

// The part of the machine that one decision is about. The tree may be larger than the nodes listed:
// a node that is not listed is not offered.
struct ClusterView {
  std::shared_ptr<const TreeTopology> tree;
  std::vector<NodeView> nodes;  // in the order of the caller, which is also the natural order of ranks
  std::shared_ptr<const TorusTopology> torus = nullptr;  // null: the tree tells distances between nodes
  std::shared_ptr<const LiveState> live = nullptr;       // null: no live data, or too old to be used
  std::shared_ptr<const NodeOutages> outages = nullptr;  // of the site's own, in place of those in `live`
  double live_age_s = unknown_value;  // since it was published; what it holds is so much older still
  std::string why_not_live = {};      // when `live` is null: what a policy that needs it tells the user
};

}  // namespace placement

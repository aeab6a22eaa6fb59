// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/switch_tree.hpp"
#include "common/topology/torus_topology.hpp"
#include "plugins/planning/decision_types.h"

namespace placement::planning {

// The machine with all cores free, as a topology tree. The leaves are cores, or threads for jobs whose tasks share
// cores.
class Machine {
 public:
  // Copies the description `machine`, and reads the topology, torus and outage files that `config` names. Throws
  // Error if the description makes no tree, or if a file is wrong.
  Machine(const placement_machine& machine, const Config& config);

  // Makes a machine with the nodes, torus and outages of `cluster` and the switches or blocks `topology`, in the form
  // of placement_machine. TreematchTopologyFile does not replace `topology`. Throws Error if that makes no tree.
  Machine(const Machine& cluster, const char* topology);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
  const NodeShape& node(std::int32_t node) const { return nodes_[node]; }

  std::vector<std::string> node_names() const;

  // Returns the torus of the TorusFile, or null if none is configured.
  std::shared_ptr<const TorusTopology> torus() const { return torus_; }
  // Returns the torus node of the machine's node `node`; -1 if the node has no coordinates or there is no torus.
  std::int32_t torus_node(std::int32_t node) const { return torus_ ? torus_node_[node] : -1; }
  // Returns the outages of the OutageFile, or null if none is configured.
  std::shared_ptr<const NodeOutages> outages() const { return outages_; }

  // Returns which nodes are missing from the torus file, and which nodes of the outage file are unknown; mostly empty.
  const std::string& warning() const { return warning_; }

  // Returns the view whose nodes have `threads` leaves per core, 1 or more. A view is built when first asked for and
  // kept. Throws Error if `threads` > 1 and the topology is that of a file, or if four other views are kept already.
  const ClusterView& view(std::int32_t threads) const;

 private:
  static constexpr std::size_t max_views = 4;

  void warn(const std::string& text);

  std::vector<SwitchShape> switches_;
  std::vector<NodeShape> nodes_;
  std::vector<std::int64_t> level_distances_;
  bool from_file_;
  std::shared_ptr<const TorusTopology> torus_;
  std::vector<std::int32_t> torus_node_;
  std::shared_ptr<const NodeOutages> outages_;
  std::string warning_;
  mutable std::map<std::int32_t, ClusterView> views_;
};

}  // namespace placement::planning

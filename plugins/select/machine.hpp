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
#include "plugins/select/decide.h"

namespace placement {

// The whole machine with all cores free, as a tree whose leaves are cores; or, for jobs whose tasks
// share cores, one whose leaves are hardware threads: a node then has `threads` leaves per core.
class Machine {
 public:
  // Copies what it needs, and reads the topology, torus and outage files that config names. Throws
  // Error when the description makes no tree, or a file is wrong.
  Machine(const placement_machine& machine, const Config& config);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
  const NodeShape& node(std::int32_t node) const { return nodes_[node]; }

  std::vector<std::string> node_names() const;

  // Null, and -1, without a TorusFile.
  std::shared_ptr<const TorusTopology> torus() const { return torus_; }
  std::int32_t torus_node(std::int32_t node) const { return torus_ ? torus_node_[node] : -1; }
  // Null without an OutageFile.
  std::shared_ptr<const NodeOutages> outages() const { return outages_; }

  // What the files have too much or too little; empty: nothing.
  const std::string& warning() const { return warning_; }

  // Built when first asked for, kept for few different `threads`. Throws Error when there is none.
  const ClusterView& view(std::int32_t threads) const;

 private:
  static constexpr std::size_t max_views = 4;

  void read_torus_of(const std::string& path);
  void read_outages_of(const std::string& path);
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

}  // namespace placement

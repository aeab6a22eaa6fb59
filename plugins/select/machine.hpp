// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/cluster_view.hpp"
#include "core/config.hpp"
#include "core/switch_tree.hpp"
#include "plugins/select/decide.h"

namespace placement {

// The whole machine with all cores free, as a tree whose leaves are cores; or, for jobs whose tasks
// share cores, one whose leaves are hardware threads: a node then has `threads` leaves per core.
class Machine {
 public:
  // Copies what it needs, and reads config.treematch_topology_file if there is one. Throws Error
  // when the description makes no tree.
  Machine(const placement_machine& machine, const Config& config);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
  const NodeShape& node(std::int32_t node) const { return nodes_[node]; }

  // Built when first asked for, kept for few different `threads`. Throws Error when there is none.
  const ClusterView& view(std::int32_t threads) const;

 private:
  static constexpr std::size_t max_views = 4;

  std::vector<SwitchShape> switches_;
  std::vector<NodeShape> nodes_;
  std::vector<std::int64_t> level_distances_;
  bool from_file_;
  mutable std::map<std::int32_t, ClusterView> views_;
};

}  // namespace placement

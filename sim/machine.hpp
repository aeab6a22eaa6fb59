// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/cluster_view.hpp"
#include "sim/live_cost.hpp"

namespace placement::sim {

// A machine and which of its cores are free. Cores are named by their leaves of the tree.
class Machine {
 public:
  // Throws Error when a node of the view has no cores, or no coordinates on its torus, or the view no nodes.
  explicit Machine(ClusterView view);

  // All nodes; core_free is the present.
  const ClusterView& view() const { return view_; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(view_.nodes.size()); }
  std::int64_t cores() const { return cores_; }
  std::int64_t free_cores() const { return free_cores_; }
  bool regular() const { return cores_ == static_cast<std::int64_t>(nodes()) * node_room_.front(); }  // nodes of one size
  std::int32_t free_on(std::int32_t node) const { return free_[node]; }
  std::int32_t node_of(std::int32_t leaf) const { return node_of_leaf_[leaf]; }

  // The leaf switches are the vertices right above nodes, from left to right.
  std::int32_t switches() const { return static_cast<std::int32_t>(switch_vertex_.size()); }
  std::int32_t switch_of(std::int32_t node) const { return switch_of_node_[node]; }
  std::int32_t switch_vertex(std::int32_t leaf_switch) const { return switch_vertex_[leaf_switch]; }
  // What a job's communication costs with its ranks on these leaves; comparable for the same matrix only. Where
  // the view knows the network, seconds of LiveCost::transfer_s(); else hop-bytes, by the links of the tree or,
  // on a torus, by those of the torus between nodes, with none inside a node.
  double communication(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const;

  // LiveCost::slowdown() of these leaves' nodes; 1 without a live state.
  double slowdown(std::span<const std::int32_t> leaves) const;

  // Links between two leaf switches.
  std::int32_t switch_distance(std::int32_t a, std::int32_t b) const;

  // The fewest nodes, and leaf switches, that hold so many cores when all are free.
  std::int32_t least_nodes(std::int64_t cores) const { return least(node_room_, cores); }
  std::int32_t least_switches(std::int64_t cores) const { return least(switch_room_, cores); }
  std::int32_t switches_spanned(std::span<const std::int32_t> leaves) const;
  std::int32_t nodes_spanned(std::span<const std::int32_t> leaves) const;

  void take(std::span<const std::int32_t> leaves) { set(leaves, false); }
  void release(std::span<const std::int32_t> leaves) { set(leaves, true); }

 private:
  void set(std::span<const std::int32_t> leaves, bool free);
  std::vector<std::int32_t> nodes_of(std::span<const std::int32_t> leaves) const;
  static std::int32_t least(const std::vector<std::int64_t>& room, std::int64_t cores);

  ClusterView view_;
  LiveCost live_;
  std::int64_t cores_ = 0;
  std::int64_t free_cores_ = 0;
  std::vector<std::int32_t> free_;  // per node
  std::vector<std::int32_t> node_cores_;
  std::vector<std::int32_t> node_of_leaf_;
  std::vector<std::int32_t> switch_of_node_;
  std::vector<std::int32_t> switch_vertex_;
  std::vector<std::int64_t> node_room_;    // cores of the n + 1 largest nodes together
  std::vector<std::int64_t> switch_room_;  // the same of leaf switches
};

}  // namespace placement::sim

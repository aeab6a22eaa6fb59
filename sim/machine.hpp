// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement::sim {

// Makes `state` the live state of the view and assigns its nodes to those of the view by name. `source` is the origin
// of the state, for messages. Throws Error when the state has no node of the view.
void attach_state(ClusterView& view, LiveState state, const std::string& source);

// Puts outage probabilities into the live state of the view, and creates this state if there is none. Each is the
// probability of a failure within `horizon_s` seconds. `source` is their origin, for messages. Throws Error when
// `outages` has a node that is not in the view, or one that is missing from a live state with network data.
void attach_outages(ClusterView& view, const NodeOutages& outages, double horizon_s, const std::string& source);

// Returns the failure rate of each node, in failures per hour, computed from its outage probability. A probability of 1
// counts as 0.999999. All rates are 0 without a live state.
std::vector<double> failure_rates(const ClusterView& view);

// A machine with its free cores. A core is given by its leaf in the tree.
class Machine {
 public:
  // The free cores of the view are those that jobs can have; all others stay unused. Throws Error when the view has no
  // nodes, when a node has no cores, and when no core is free. If the view has a torus,
  // throws Error when a node has no coordinates on it.
  explicit Machine(ClusterView view);

  // Returns the view of all nodes; NodeView::core_free has the cores that are free now.
  const ClusterView& view() const { return view_; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(view_.nodes.size()); }
  std::int64_t cores() const { return cores_; }  // number of cores that jobs can have
  std::int64_t free_cores() const { return free_cores_; }
  // Returns the number of cores of a node that jobs can have.
  std::int32_t usable_on(std::int32_t node) const { return usable_[node]; }
  // Returns usable_on() of the node with the most cores.
  std::int64_t largest_node() const { return node_room_.front(); }
  // Returns whether all nodes that jobs can use have equal numbers of cores.
  bool regular() const { return cores_ == static_cast<std::int64_t>(least_nodes(cores_)) * largest_node(); }
  // Returns the number of free cores of each node.
  std::span<const std::int32_t> free() const { return free_; }
  std::int32_t node_of(std::int32_t leaf) const { return node_of_leaf_[leaf]; }

  // The leaf switches are the vertices just above nodes, numbered from left to right.
  std::int32_t switches() const { return static_cast<std::int32_t>(switch_vertex_.size()); }
  std::int32_t switch_of(std::int32_t node) const { return switch_of_node_[node]; }
  std::int32_t switch_vertex(std::int32_t leaf_switch) const { return switch_vertex_[leaf_switch]; }
  // Returns the cost of a job's communication with its ranks on these leaves. If the live state has the network, it is
  // the time in seconds to send the traffic of all pairs of ranks one after the other, at the bandwidth available
  // between their nodes. Otherwise it is the hop-bytes on the tree, or on the torus if the machine has one. Ranks on
  // one node of a torus have no hops between them. Costs are comparable for one matrix only.
  double communication(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const;

  // Returns the factor by which load from outside Slurm prolongs the computation of a job on these leaves; 1 without a
  // live state. Each step of the job waits for the slowest node, so that the factor is 1 + load / cores of that node.
  double slowdown(std::span<const std::int32_t> leaves) const;

  // Returns the number of links between two leaf switches.
  std::int32_t switch_distance(std::int32_t a, std::int32_t b) const;

  // Return the fewest nodes, or leaf switches, that hold this number of cores when all cores are free.
  std::int32_t least_nodes(std::int64_t cores) const { return least(node_room_, cores); }
  std::int32_t least_switches(std::int64_t cores) const { return least(switch_room_, cores); }
  // Return the number of different leaf switches, or nodes, that the leaves belong to.
  std::int32_t switches_spanned(std::span<const std::int32_t> leaves) const;
  std::int32_t nodes_spanned(std::span<const std::int32_t> leaves) const;

  // Take and release cores. They throw Error when a core is in use already, or free already.
  void take(std::span<const std::int32_t> leaves) { set(leaves, false); }
  void release(std::span<const std::int32_t> leaves) { set(leaves, true); }

 private:
  void set(std::span<const std::int32_t> leaves, bool free);
  std::vector<std::int32_t> nodes_of(std::span<const std::int32_t> leaves) const;
  // Returns the bandwidth between two nodes. An unknown one counts as the smallest known bandwidth of any pair of
  // nodes. Within a node, eight times the largest known bandwidth is assumed.
  double bandwidth_Bps(std::int32_t a, std::int32_t b) const;
  double transfer_s(const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank) const;
  static std::int32_t least(const std::vector<std::int64_t>& room, std::int64_t cores);

  ClusterView view_;
  std::int64_t cores_ = 0;
  std::int64_t free_cores_ = 0;
  std::vector<std::int32_t> free_;    // number of free cores of each node
  std::vector<std::int32_t> usable_;  // number of cores of each node that jobs can have
  std::vector<std::int32_t> node_of_leaf_;
  std::vector<std::int32_t> switch_of_node_;
  std::vector<std::int32_t> switch_vertex_;
  std::vector<std::int64_t> node_room_;    // entry n: number of cores of the n + 1 largest nodes
  std::vector<std::int64_t> switch_room_;  // entry n: number of cores of the n + 1 largest leaf switches
  double least_Bps_ = 0, most_Bps_ = 0;    // known bandwidths of pairs of nodes; 0: none is known
};

// Returns the free cores of `nodes` as leaves, node by node.
std::vector<std::int32_t> free_leaves(const Machine& machine, std::span<const std::int32_t> nodes);

// The sizes of the largest jobs that fit below one leaf switch, and into one subtree just below the root, in cores.
struct LargestRoom {
  std::int64_t in_switch = 0;
  std::int64_t in_subtree = 0;
};

// Returns the sizes where node n of the machine has free[n] free cores.
LargestRoom largest_room(const Machine& machine, std::span<const std::int32_t> free);

// The free cores of a machine at one time of a replay.
struct FreeLeaves {
  std::int64_t time_us = 0;                                 // from the start of the window
  std::vector<std::pair<std::int32_t, std::int32_t>> runs;  // first and last leaf of each run of free cores, ascending
};

// Returns the free cores that a machine has now.
FreeLeaves free_leaves_of(const Machine& machine, std::int64_t time_us);

// Returns the free cores as "placectl map --available" reads them. A comment has the time and the number of free cores,
// and each line one leaf. `cores` is the number of all cores of the machine.
std::string free_leaves_text(const FreeLeaves& free, std::int64_t cores);

}  // namespace placement::sim

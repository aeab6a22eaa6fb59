// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/tree_topology.hpp"
#include "common/util/deadline.hpp"
#include "mapping/graph.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "treematch/map_memory.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// slurmctld waits for the answer. Therefore only small jobs are tried on all choices of nodes.
inline constexpr std::int32_t most_tasks_tried_on_all = 128;
inline constexpr std::int32_t most_tasks_tried_on_first_nodes = 512;

// A mapping of the ranks, with its hop-bytes and the number of nodes that it uses.
struct Candidate {
  std::vector<std::int32_t> leaf_of_rank;
  Cost cost = 0;
  std::int32_t nodes = 0;
  std::string method;
};

// The tree above the nodes, whose leaves are nodes; order[l] is the view's node on leaf l.
struct NodeTree {
  std::vector<std::int32_t> order;
  TreeTopology tree;
};

// Returns the options of the mapper that the parameters of a request ask for. Throws Error on a wrong value.
MapOptions options_of(const Request& request);

// Returns the leaves in ascending order.
std::vector<std::int32_t> sorted(std::vector<std::int32_t> leaves);

// Makes one decision: places one request on one view with few hop-bytes.
class Chooser {
 public:
  // Whether parts of the nodes, such as subtrees, are searched alone where that may find a better placement.
  enum class Of { job, part };

  // `view` and `request` must outlive the object.
  Chooser(const ClusterView& view, const Request& request, const Deadline& deadline, Of of);

  // Returns the placement. Throws PlacementError if the request does not fit, and Error if it contradicts itself.
  Placement choose() const;

 private:
  // The choice itself, chooser.cpp.
  bool small() const { return request_.tasks <= most_tasks_tried_on_all; }
  // Each candidate takes time to evaluate, even when there is no time left to search for a good one.
  bool in_time() const { return !options_.deadline.expired(); }
  // Whether the greedy mapping takes a few milliseconds at most, so that it is made whatever the deadline.
  bool mapped_quickly() const { return request_.matrix->pairs() <= most_pairs_mapped_quickly; }
  Placement on_counts(const mapping::NodeCounts& counts) const;
  std::vector<std::int32_t> in_order_of_tree(const mapping::NodeCounts& counts) const;
  Placement among(const mapping::NodeLimits& limits, const mapping::NodeCounts& in_order,
                  const std::optional<mapping::NodeCounts>& compact) const;
  Placement proved(Candidate best, std::vector<Candidate> candidates, const mapping::NodeCounts& in_order) const;
  Candidate on_first_nodes(const mapping::NodeCounts& in_order) const;
  std::vector<Candidate> cheap_choices(const mapping::NodeLimits& limits, const mapping::NodeCounts& in_order,
                                       const std::optional<mapping::NodeCounts>& compact) const;
  std::optional<Candidate> greedy_on(const mapping::NodeCounts& counts, const mapping::Graph& graph) const;
  bool add_joint_choices(const mapping::NodeLimits& limits, std::vector<Candidate>& candidates) const;
  Placement best_of(const std::vector<Candidate>& candidates) const;
  void keep_narrower(Placement& placement) const;
  Candidate evaluated(std::vector<std::int32_t> leaf_of_rank, std::string method) const;
  Candidate candidate(std::vector<std::int32_t> leaf_of_rank, Cost cost, std::string method) const;
  Candidate mapped(const mapping::NodeCounts& counts) const;
  Candidate mapped(const mapping::NodeCounts& counts, const MapOptions& options) const;
  Candidate mapped_longer(const mapping::NodeCounts& counts) const;
  Candidate on_sockets(Candidate candidate) const;
  std::optional<Candidate> optimal(const mapping::NodeLimits& limits, std::int64_t steps) const;
  std::optional<Candidate> optimal_step() const;
  std::optional<Candidate> free_choice(const mapping::NodeLimits& limits) const;

  // Groups of ranks for a number of nodes, chooser_groups.cpp.
  std::optional<Candidate> grouped(const mapping::NodeLimits& limits, std::int32_t nodes) const;
  std::optional<Candidate> grouped_on(const mapping::NodeLimits& limits, std::int32_t nodes,
                                      const std::vector<std::int32_t>& subtree) const;
  std::optional<std::vector<std::int32_t>> nodes_of_groups(const mapping::NodeLimits& limits, std::int32_t nodes,
                                                           const std::vector<bool>& offered,
                                                           const MapOptions& options) const;
  std::vector<std::int32_t> groups_of_ranks(std::int32_t groups, std::int32_t size) const;
  std::vector<std::int32_t> rough_groups(std::int32_t size, const std::vector<std::int32_t>& places) const;
  const NodeTree& node_tree() const;

  std::optional<Candidate> alone_on(const std::vector<std::int32_t>& nodes) const;
  std::optional<Candidate> alone_on_fullest() const;
  Request on_nodes(const std::vector<std::int32_t>& nodes) const;
  ClusterView with_nodes(const std::vector<std::int32_t>& nodes) const;

  const ClusterView& view_;
  const Request& request_;
  const mapping::Slots slots_;
  const LeafScope scope_;
  MapOptions options_;
  const Of of_;
  std::int64_t exact_steps_;           // of the exact search
  std::shared_ptr<MapMemory> memory_;  // mappings of the request's matrix found so far; null without matrix
  MapOptions remembering_;             // options_ with memory_
  mutable std::int32_t groups_ = 0;    // the number of groups in group_of_rank_
  mutable std::vector<std::int32_t> group_of_rank_;
  mutable std::optional<NodeTree> node_tree_;  // set by the first call of node_tree()
};

}  // namespace placement::treematch

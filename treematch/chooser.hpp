// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
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
#include "treematch/exact_map.hpp"
#include "treematch/map_memory.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Returns the options of the mapper that the parameters of a request ask for. Throws Error on a wrong value.
MapOptions options_of(const Request& request);

// Makes one decision: places one request on one view with few hop-bytes.
class Chooser {
 public:
  // `view` and `request` must outlive the object. `parts`: also search subsets of the nodes alone if that may find a
  // better placement, and give the exact search all its steps.
  Chooser(const ClusterView& view, const Request& request, const Deadline& deadline, bool parts);

  // Returns the placement. Throws PlacementError if the request does not fit, and Error if it contradicts itself.
  Placement choose();

 private:
  using Leaves = std::vector<std::int32_t>;  // the leaf of each rank

  // Nodes on which the job may be placed, and the scope among them. A decision looks at all nodes of the view first,
  // then at parts of them and at narrower scopes.
  struct Offer {
    mapping::NodeLimits limits;  // a node that is not offered has no capacity
    // tasks of each node, on the first nodes and on those of the smallest subtree
    std::optional<mapping::NodeCounts> in_order = {}, compact = {};
    LeafScope scope = LeafScope::whole;
    std::int32_t levels_up = 0;
    enum { all, part, narrower } of = all;
  };

  // A mapping of the ranks, with its hop-bytes and the number of nodes that it uses.
  struct Candidate {
    Leaves leaf_of_rank;
    Cost cost = 0;
    std::int32_t nodes = 0;
    std::string method;
  };

  // The tree whose leaves are the nodes; order[l] is the view's node on leaf l.
  struct NodeTree {
    std::vector<std::int32_t> order;
    TreeTopology tree;
  };

  // The searches, in the order of their cost (chooser.cpp).
  struct Search;
  static const Search searches[];
  void search(const Offer& offer);
  void search_parts(const Offer& all);
  void search_narrower(const Offer& wide);
  void in_order(const Offer& offer);
  void greedily(const Offer& offer);
  void exactly(const Offer& offer);
  void on_first_nodes(const Offer& offer);
  void jointly(const Offer& offer);
  void in_groups(const Offer& offer);
  void on_compact_nodes(const Offer& offer);

  bool small() const;
  bool in_time() const { return !options_.deadline.expired(); }
  MapOptions options_in(const Offer& offer) const;
  MapOptions options_on_given() const;
  Offer offer_of(mapping::NodeLimits limits, LeafScope scope, std::int32_t levels_up) const;
  std::optional<mapping::NodeLimits> limits_on(const std::vector<std::int32_t>& nodes) const;
  void keep(Leaves leaf_of_rank, const std::string& method);
  void keep(Leaves leaf_of_rank, Cost cost, const std::string& method);
  void keep(MapResult result) { keep(std::move(result.leaf_of_rank), result.cost, result.method); }
  MapResult mapped(const mapping::NodeCounts& counts, const MapOptions& options) const;
  MapResult mapped_longer(const mapping::NodeCounts& counts) const;
  void greedily_on(const mapping::NodeCounts& counts, const mapping::NodeLimits* limits);
  std::optional<Leaves> optimum(const MappingLimits& rules, const mapping::NodeCounts& room, LeafScope scope,
                                std::int32_t levels_up, std::int64_t steps) const;
  Placement on_counts(const mapping::NodeCounts& counts);
  Leaves in_order_of_tree(const mapping::NodeCounts& counts) const;
  Placement result() const;

  // Searches that divide the ranks into groups, one group per node (chooser_groups.cpp).
  void in_groups(const Offer& offer, std::int32_t nodes);
  std::optional<std::vector<std::int32_t>> nodes_of_groups(const Offer& offer, std::int32_t nodes);
  std::vector<std::int32_t> groups_of_ranks(std::int32_t groups, std::int32_t size) const;
  std::vector<std::int32_t> rough_groups(std::int32_t size, const std::vector<std::int32_t>& places) const;
  const NodeTree& node_tree() const;

  const ClusterView& view_;
  const Request& request_;
  const mapping::Slots slots_;
  const LeafScope scope_;
  const bool parts_;
  MapOptions options_;
  std::shared_ptr<MapMemory> memory_;  // mappings of the request's matrix found so far; null without matrix
  std::optional<mapping::Graph> graph_;
  Candidate best_;
  Cost natural_cost_ = 0;
  bool optimal_ = false;          // no mapping in the scope costs less than the best one
  std::int32_t joint_nodes_ = 0;  // the number of nodes of the joint choice; 0: none was found within the limits
  bool chosen_ = false;           // a search has chosen nodes by the traffic
  std::int32_t groups_ = 0;       // the number of groups in group_of_rank_
  std::vector<std::int32_t> group_of_rank_;
  mutable std::optional<NodeTree> node_tree_;  // set by the first call of node_tree()
};

}  // namespace placement::treematch

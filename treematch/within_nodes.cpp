// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/within_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "treematch/map_memory.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

namespace {

using Ints = std::vector<std::int32_t>;

// Places the ranks of one node on its sockets and caches. Leaves are numbered from the node's first one.
class RanksOfNode {
 public:
  // `ranks` ascend; leaf_of_rank has a leaf of the whole machine for each rank of the job.
  RanksOfNode(const NodeView& node, std::span<const std::int32_t> ranks, const Ints& leaf_of_rank)
      : node_(node),
        together_(node.cores_per_cache > 0 ? node.cores_per_cache : node.cores_per_socket),
        ranks_(ranks) {
    for (const std::int32_t rank : ranks) leaf_.push_back(leaf_of_rank[rank] - node.first_leaf);
  }

  // Returns whether all ranks are on one socket, or on one cache if a socket has several.
  bool near() const {
    return std::ranges::all_of(leaf_, [&](std::int32_t leaf) { return leaf / together_ == leaf_.front() / together_; });
  }

  // Returns the traffic between the ranks of this node. `number[r]` is the number of rank r in the result, or -1 if r
  // is not on this node.
  CommMatrix traffic(const CommMatrix& matrix, const Ints& number) const {
    std::vector<CommEdge> edges;
    for (const std::int32_t rank : ranks_) {
      const auto neighbours = matrix.neighbours(rank);
      for (std::size_t k = 0; k < neighbours.size(); ++k)
        if (neighbours[k] > rank && number[neighbours[k]] >= 0)
          edges.push_back({number[rank], number[neighbours[k]], matrix.weights(rank)[k]});
    }
    return CommMatrix::from_edges(static_cast<std::int32_t>(ranks_.size()), std::move(edges));
  }

  // Returns whether the leaves cost at most as much as the present ones on the tree of the machine, which may have
  // other distances than better() has.
  bool as_near_on(const TreeTopology& machine, const CommMatrix& traffic, const Ints& leaf) const {
    const auto cost = [&](Ints leaves) {
      for (std::int32_t& each : leaves) each += node_.first_leaf;
      return machine.hop_bytes(traffic, leaves);
    };
    return cost(leaf) <= cost(leaf_);
  }

  // Returns leaves out of `usable` that cost less than the present ones; nothing if none are found.
  Ints better(const CommMatrix& traffic, Ints usable, std::int32_t effort, const Deadline& deadline) const {
    Ints arities{node_.sockets, node_.cores_per_socket / together_, together_};
    if (arities[1] == 1) arities.erase(arities.begin() + 1);
    const TreeTopology sockets = TreeTopology::balanced(arities);
    for (std::int32_t& leaf : usable) leaf -= node_.first_leaf;
    Ints question = question_of(traffic, usable, effort);
    const Cost cost = sockets.hop_bytes(traffic, leaf_);
    // Jobs of one application, and the nodes of one job, often need equal mappings.
    MapMemory& answers = matrix_memories().within_nodes();
    if (const auto same = answers.find(question)) return same->cost < cost ? same->leaf_of_rank : Ints();
    MapOptions options;
    options.scope = LeafScope::whole;
    options.effort = effort;
    options.deadline = deadline;
    MapResult result = map_to_tree(traffic, sockets, usable, options);
    if (!deadline.expired()) answers.keep(std::move(question), result);
    return result.cost < cost ? std::move(result.leaf_of_rank) : Ints();
  }

 private:
  // Returns all input of a mapping within the node.
  Ints question_of(const CommMatrix& traffic, const Ints& usable, std::int32_t effort) const {
    Ints question{effort, node_.cores_per_socket, together_, static_cast<std::int32_t>(usable.size()), traffic.ranks()};
    question.insert(question.end(), usable.begin(), usable.end());
    for (const CommEdge& edge : traffic.edges()) {
      question.insert(question.end(), {edge.a, edge.b});
      add_number(question, edge.weight);
    }
    return question;
  }

  const NodeView& node_;
  const std::int32_t together_;  // number of successive cores at the least distance from each other
  const std::span<const std::int32_t> ranks_;
  Ints leaf_;
};

}  // namespace

bool place_on_sockets(const ClusterView& view, const Request& request, const mapping::Slots& slots,
                      std::vector<std::int32_t>& leaf_of_rank, SocketsOf which, std::int32_t effort,
                      const Deadline& deadline) {
  const mapping::NodeCounts counts = slots.counts(leaf_of_rank);
  Ints number(leaf_of_rank.size(), -1);
  std::vector<Ints> ranks(counts.size());
  for (std::size_t rank = 0; rank < leaf_of_rank.size(); ++rank)
    ranks[slots.node_of(leaf_of_rank[rank])].push_back(static_cast<std::int32_t>(rank));
  bool changed = false;
  for (std::size_t n = 0; n < counts.size() && !deadline.expired(); ++n) {
    const NodeView& node = view.nodes[n];
    if ((node.sockets < 2 && node.cores_per_cache == 0) || counts[n] < 2) continue;
    const RanksOfNode here(node, ranks[n], leaf_of_rank);
    if (here.near()) continue;
    Ints usable = slots.leaves_of(static_cast<std::int32_t>(n));
    if (which == SocketsOf::nodes_with_free_slots && usable.size() == ranks[n].size()) continue;
    for (std::size_t k = 0; k < ranks[n].size(); ++k) number[ranks[n][k]] = static_cast<std::int32_t>(k);
    const CommMatrix traffic = here.traffic(*request.matrix, number);
    Ints leaves = here.better(traffic, std::move(usable), effort, deadline);
    if (!leaves.empty() && view.tree && !here.as_near_on(*view.tree, traffic, leaves)) leaves.clear();
    for (std::size_t k = 0; k < leaves.size(); ++k) leaf_of_rank[ranks[n][k]] = node.first_leaf + leaves[k];
    for (const std::int32_t rank : ranks[n]) number[rank] = -1;
    changed = changed || !leaves.empty();
  }
  return changed;
}

}  // namespace placement::treematch

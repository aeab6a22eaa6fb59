// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/within_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "treematch/map_memory.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

namespace {

using Ints = std::vector<std::int32_t>;

// Returns the traffic between some ranks, which ascend. `number[r]` is the number of rank r in the result, -1 for
// others.
CommMatrix traffic_among(const CommMatrix& matrix, const Ints& ranks, const Ints& number) {
  std::vector<CommEdge> edges;
  for (const std::int32_t rank : ranks) {
    const auto neighbours = matrix.neighbours(rank);
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      if (neighbours[k] > rank && number[neighbours[k]] >= 0)
        edges.push_back({number[rank], number[neighbours[k]], matrix.weights(rank)[k]});
  }
  return CommMatrix::from_edges(static_cast<std::int32_t>(ranks.size()), std::move(edges));
}

// Returns the number of successive cores of a node at the least distance from each other.
std::int32_t cores_together(const NodeView& node) {
  return node.cores_per_cache > 0 ? node.cores_per_cache : node.cores_per_socket;
}

// Returns leaves out of `usable` that cost less than `leaf` by the distances between sockets and caches; nothing if
// none are found. Leaves are numbered from the node's first one.
Ints better_leaves(const NodeView& node, const CommMatrix& traffic, const Ints& leaf, const Ints& usable,
                   std::int32_t effort, const Deadline& deadline) {
  const std::int32_t together = cores_together(node);
  Ints arities{node.sockets, node.cores_per_socket / together, together};
  if (arities[1] == 1) arities.erase(arities.begin() + 1);
  const TreeTopology sockets = TreeTopology::balanced(arities);
  const Cost cost = sockets.hop_bytes(traffic, leaf);
  // All input of the mapping. Jobs of one application, and the nodes of one job, often need equal mappings.
  Ints question{effort, node.cores_per_socket, together, static_cast<std::int32_t>(usable.size()), traffic.ranks()};
  question.insert(question.end(), usable.begin(), usable.end());
  for (const CommEdge& edge : traffic.edges()) {
    question.insert(question.end(), {edge.a, edge.b});
    add_number(question, edge.weight);
  }
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

// Returns the leaves with `shift` added to each.
Ints shifted(Ints leaves, std::int32_t shift) {
  for (std::int32_t& leaf : leaves) leaf += shift;
  return leaves;
}

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
    Ints leaf;  // of each rank of this node
    for (const std::int32_t rank : ranks[n]) leaf.push_back(leaf_of_rank[rank] - node.first_leaf);
    const auto place = [&](std::int32_t of) { return of / cores_together(node); };
    if (std::ranges::all_of(leaf, [&](std::int32_t of) { return place(of) == place(leaf.front()); })) continue;
    const Ints usable = slots.leaves_of(static_cast<std::int32_t>(n));
    if (which == SocketsOf::nodes_with_free_slots && usable.size() == ranks[n].size()) continue;
    for (std::size_t k = 0; k < ranks[n].size(); ++k) number[ranks[n][k]] = static_cast<std::int32_t>(k);
    const CommMatrix traffic = traffic_among(*request.matrix, ranks[n], number);
    for (const std::int32_t rank : ranks[n]) number[rank] = -1;
    const Ints better = better_leaves(node, traffic, leaf, shifted(usable, -node.first_leaf), effort, deadline);
    const Ints leaves = shifted(better, node.first_leaf);
    // The tree of the machine may have other distances than the node.
    const auto cost = [&](const Ints& of) { return view.tree->hop_bytes(traffic, of); };
    if (leaves.empty() || (view.tree && cost(leaves) > cost(shifted(leaf, node.first_leaf)))) continue;
    for (std::size_t k = 0; k < leaves.size(); ++k) leaf_of_rank[ranks[n][k]] = leaves[k];
    changed = true;
  }
  return changed;
}

}  // namespace placement::treematch

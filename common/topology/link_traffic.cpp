// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/link_traffic.hpp"

#include <set>

#include "common/util/hostlist.hpp"

namespace placement {

namespace {

constexpr std::size_t longest_list = 160;  // longest list of the nodes below a link, in characters

bool has_leaf(const TreeTopology& tree, std::int32_t vertex, std::int32_t leaf) {
  return leaf >= tree.first_leaf(vertex) && leaf < tree.first_leaf(vertex) + tree.leaf_count(vertex);
}

// Returns the vertices of the nodes with ranks, and all vertices above them except the root.
std::set<std::int32_t> vertices_outside_of_nodes(const ClusterView& view, std::span<const std::int32_t> node_of_rank,
                                                 std::span<const std::int32_t> leaf_of_rank) {
  const TreeTopology& tree = *view.tree;
  std::set<std::int32_t> found;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const NodeView& node = view.nodes[node_of_rank[rank]];
    std::int32_t vertex = tree.leaf_vertex(leaf_of_rank[rank]);
    while (tree.leaf_count(vertex) < node.cores() && tree.parent(vertex) >= 0) vertex = tree.parent(vertex);
    for (; tree.parent(vertex) >= 0 && found.insert(vertex).second;) vertex = tree.parent(vertex);
  }
  return found;
}

std::string nodes_below(const ClusterView& view, std::int32_t vertex, std::span<const std::int32_t> node_of_rank,
                        std::span<const std::int32_t> leaf_of_rank) {
  std::set<std::int32_t> nodes;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank)
    if (has_leaf(*view.tree, vertex, leaf_of_rank[rank])) nodes.insert(node_of_rank[rank]);
  std::vector<std::string> names;
  for (const std::int32_t node : nodes) names.push_back(view.nodes[node].name);
  const std::string list = compress_hostlist(names);
  return list.size() <= longest_list ? list : std::to_string(names.size()) + " nodes from " + names.front() + " on";
}

}  // namespace

std::vector<Cost> link_traffic(const TreeTopology& tree, const CommMatrix& matrix,
                               std::span<const std::int32_t> leaf_of_rank) {
  std::vector<Cost> traffic(static_cast<std::size_t>(tree.vertices()), 0);
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    const std::int32_t own = tree.leaf_vertex(leaf_of_rank[rank]);
    for (std::size_t k = partners.size(); k > 0 && partners[k - 1] > rank; --k) {
      const std::int32_t other = tree.leaf_vertex(leaf_of_rank[partners[k - 1]]);
      traffic[own] += weights[k - 1];
      traffic[other] += weights[k - 1];
      traffic[tree.lowest_common_ancestor(own, other)] -= 2 * static_cast<Cost>(weights[k - 1]);
    }
  }
  for (std::int32_t vertex = tree.vertices() - 1; vertex > 0; --vertex) traffic[tree.parent(vertex)] += traffic[vertex];
  return traffic;
}

std::string busiest_link(const ClusterView& view, const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank,
                         std::span<const std::int32_t> leaf_of_rank) {
  const std::vector<Cost> traffic = link_traffic(*view.tree, matrix, leaf_of_rank);
  std::int32_t busiest = 0;
  Cost most = 0;
  for (const std::int32_t vertex : vertices_outside_of_nodes(view, node_of_rank, leaf_of_rank)) {
    const bool higher = traffic[vertex] == most && view.tree->level(vertex) < view.tree->level(busiest);
    if (traffic[vertex] > most || (most > 0 && higher)) {
      most = traffic[vertex];
      busiest = vertex;
    }
  }
  return most == 0 ? std::string()
                   : to_string(most) + " bytes above " + nodes_below(view, busiest, node_of_rank, leaf_of_rank);
}

}  // namespace placement

// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with limits on nodes: groups of ranks, and a node for each group.
#include <algorithm>
#include <numeric>

#include "common/matrix/matrix_coarsen.hpp"
#include "mapping/tuning.hpp"
#include "treematch/chooser.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

// Divides the ranks into `groups` groups with little traffic between them. Returns the group of each rank. The first
// groups have `size` ranks, the others one less.
std::vector<std::int32_t> Chooser::groups_of_ranks(std::int32_t groups, std::int32_t size) const {
  const std::vector<std::int32_t> arities{groups, size};
  const std::int64_t full = request_.tasks - static_cast<std::int64_t>(groups) * (size - 1);
  std::vector<std::int32_t> usable;
  for (std::int32_t g = 0; g < groups; ++g)
    for (std::int32_t k = 0; k < (g < full ? size : size - 1); ++k) usable.push_back(g * size + k);
  if (request_.node_level) return rough_groups(size, usable);
  MapOptions options = options_;
  options.scope = LeafScope::given;
  std::vector<std::int32_t> group =
      map_to_tree(*request_.matrix, TreeTopology::balanced(arities), usable, options).leaf_of_rank;
  for (std::int32_t& leaf : group) leaf /= size;
  return group;
}

// Divides the ranks into groups quickly. Joins heavy pairs if the matrix is small enough, otherwise consecutive ranks.
// The ranks, sorted by group, take the `places` in turn, so that each group gets its size. Place p belongs to group p /
// size. Returns the group of each rank.
std::vector<std::int32_t> Chooser::rough_groups(std::int32_t size, const std::vector<std::int32_t>& places) const {
  const CommMatrix& matrix = *request_.matrix;
  std::vector<std::int32_t> row(places.size());
  std::iota(row.begin(), row.end(), 0);
  if (matrix.ranks() + matrix.pairs() <= most_work_on_groups) {
    const std::vector<std::int32_t> joined = group_ranks(matrix, size);
    std::stable_sort(row.begin(), row.end(), [&](std::int32_t a, std::int32_t b) { return joined[a] < joined[b]; });
  }
  std::vector<std::int32_t> group(places.size());
  for (std::size_t k = 0; k < row.size(); ++k) group[row[k]] = places[k] / size;
  return group;
}

const Chooser::NodeTree& Chooser::node_tree() const {
  if (node_tree_) return *node_tree_;
  std::vector<std::int32_t> order(view_.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first_leaf = [&](std::int32_t node) { return view_.nodes[node].first_leaf; };
  const auto left = [&](std::int32_t a, std::int32_t b) { return first_leaf(a) < first_leaf(b); };
  if (!std::is_sorted(order.begin(), order.end(), left)) std::sort(order.begin(), order.end(), left);
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
  std::vector<std::int32_t> vertices;
  for (const std::int32_t node : order) vertices.push_back(vertex_of_node[node]);
  return node_tree_.emplace(NodeTree{std::move(order), view_.tree->cut_at(vertices)});
}

// Divides the ranks into `nodes` groups and then chooses a node for each group. Returns the node of each rank; nothing
// when the limits do not allow this. The numbers of tasks on the used nodes differ by at most one.
std::optional<std::vector<std::int32_t>> Chooser::nodes_of_groups(const Offer& offer, std::int32_t nodes) {
  const std::int32_t size = (request_.tasks + nodes - 1) / nodes;
  const std::vector<std::int32_t>& order = node_tree().order;
  std::vector<std::int32_t> usable;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (offer.limits.capacity()[order[k]] >= size) usable.push_back(static_cast<std::int32_t>(k));
  if (std::ssize(usable) < nodes) return std::nullopt;
  if (groups_ != nodes) group_of_rank_ = groups_of_ranks(nodes, size);
  groups_ = nodes;
  MapOptions options = options_in(offer);
  if (offer.of == Offer::part && !small()) options.effort = effort_for_nodes;
  const MapResult chosen =
      map_to_tree(request_.matrix->aggregated(group_of_rank_, nodes), node_tree().tree, usable, options);
  if (request_.tasks < least_ranks_of_partial_searches && !in_time()) return std::nullopt;
  std::vector<std::int32_t> node_of_rank(group_of_rank_);
  mapping::NodeCounts counts(order.size(), 0);
  for (std::int32_t& node : node_of_rank) {
    node = order[chosen.leaf_of_rank[node]];
    ++counts[node];
  }
  if (!offer.limits.allow(counts)) return std::nullopt;
  return node_of_rank;
}

// Tries one group per node of the joint choice, and for small jobs also the least number of nodes.
void Chooser::in_groups(const Offer& offer) {
  const std::int32_t least = offer.limits.least_nodes();
  in_groups(offer, joint_nodes_ > 0 ? joint_nodes_ : least);
  if (small() && joint_nodes_ > least && in_time()) in_groups(offer, least);
}

// Divides the ranks into groups for `nodes` nodes. If a subset of the nodes has no room for equal groups, maps a large
// job to the subset's smallest sufficient subtree.
void Chooser::in_groups(const Offer& offer, std::int32_t nodes) {
  if (const auto node_of_rank = nodes_of_groups(offer, nodes)) {
    chosen_ = true;
    Leaves leaves = slots_.leaves_on(*node_of_rank);
    if (small() || offer.of == Offer::part)
      keep(mapped(slots_.counts(leaves), options_on_given()));
    else
      keep(std::move(leaves), "groups of ranks on nodes");
  } else if (offer.of == Offer::part && !small() && offer.compact) {
    keep(mapped(*offer.compact, options_on_given()));
  }
}

}  // namespace placement::treematch

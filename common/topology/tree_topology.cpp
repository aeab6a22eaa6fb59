// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/tree_topology.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/util/error.hpp"

namespace placement {

TreeTopology TreeTopology::balanced(std::span<const std::int32_t> arities,
                                    std::span<const std::int64_t> level_distance) {
  std::int64_t width = 1;
  std::int64_t total = 1;
  for (const std::int32_t arity : arities) {
    if (arity < 1) throw Error("arity " + std::to_string(arity) + ": expected at least 1 for each level");
    width *= arity;
    total += width;
    if (width > max_leaves || total > 4LL * max_leaves)
      throw Error("the tree has more than " + std::to_string(max_leaves) + " leaves");
  }
  std::vector<std::int32_t> parent{-1};
  parent.reserve(static_cast<std::size_t>(total));
  std::size_t level_begin = 0;
  for (const std::int32_t arity : arities) {
    const std::size_t level_end = parent.size();
    for (std::size_t v = level_begin; v < level_end; ++v)
      parent.insert(parent.end(), static_cast<std::size_t>(arity), static_cast<std::int32_t>(v));
    level_begin = level_end;
  }
  return from_parents(parent, level_distance);
}

TreeTopology TreeTopology::from_parents(std::span<const std::int32_t> parent,
                                        std::span<const std::int64_t> level_distance) {
  if (parent.empty() || parent[0] != -1) throw Error("expected a root as the first vertex of the tree");
  TreeTopology tree;
  tree.parent_.assign(parent.begin(), parent.end());
  const std::size_t n = parent.size();
  tree.first_child_.assign(n + 1, 0);
  tree.level_.assign(n, 0);
  for (std::size_t v = 1; v < n; ++v) {
    if (parent[v] < 0 || static_cast<std::size_t>(parent[v]) >= v)
      throw Error("vertex " + std::to_string(v) + " of the tree comes before its parent");
    ++tree.first_child_[parent[v] + 1];
    tree.level_[v] = tree.level_[parent[v]] + 1;
    tree.depth_ = std::max(tree.depth_, tree.level_[v]);
  }
  for (std::size_t v = 0; v < n; ++v) tree.first_child_[v + 1] += tree.first_child_[v];
  tree.child_.resize(n - 1);
  std::vector<std::int32_t> at(tree.first_child_.begin(), tree.first_child_.end() - 1);
  for (std::size_t v = 1; v < n; ++v) tree.child_[at[parent[v]]++] = static_cast<std::int32_t>(v);
  tree.number_leaves();
  tree.measure(level_distance);
  return tree;
}

TreeTopology TreeTopology::cut_at(std::span<const std::int32_t> vertices) const {
  // Collects the vertices and all above them. The way up stops at the first vertex that is also above the previous one,
  // because neighbours share most ancestors.
  std::vector<std::int32_t> kept;
  std::vector<std::int32_t> last(depth_ + 1, -1);  // by level: the last vertex that was reached
  for (const std::int32_t vertex : vertices)
    for (std::int32_t v = vertex; v >= 0 && last[level_[v]] != v; v = parent_[v]) {
      last[level_[v]] = v;
      kept.push_back(v);
    }
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<std::int32_t> parent;
  std::vector<std::int64_t> position;
  for (const std::int32_t v : kept) {
    const auto above = std::ranges::lower_bound(kept, parent_[v]);
    parent.push_back(parent_[v] < 0 ? -1 : static_cast<std::int32_t>(above - kept.begin()));
    position.push_back(position_[v]);
  }
  TreeTopology tree = from_parents(parent);
  tree.position_ = std::move(position);
  return tree;
}

void TreeTopology::number_leaves() {
  const std::int32_t n = vertices();
  leaf_count_.assign(n, 0);
  height_.assign(n, 0);
  most_leaves_.assign(depth_ + 1, 0);
  for (std::int32_t v = n - 1; v >= 0; --v) {
    if (children(v).empty()) leaf_count_[v] = 1;
    std::int32_t& most = most_leaves_[height_[v]];
    most = std::max(most, leaf_count_[v]);
    if (v == 0) continue;
    leaf_count_[parent_[v]] += leaf_count_[v];
    height_[parent_[v]] = std::max(height_[parent_[v]], height_[v] + 1);
  }
  if (leaf_count_[0] > max_leaves) throw Error("the tree has more than " + std::to_string(max_leaves) + " leaves");
  first_leaf_.assign(n, 0);
  leaf_vertex_.assign(leaf_count_[0], 0);
  for (std::int32_t v = 0; v < n; ++v) {
    std::int32_t next = first_leaf_[v];
    for (const std::int32_t child : children(v)) {
      first_leaf_[child] = next;
      next += leaf_count_[child];
    }
    if (children(v).empty()) leaf_vertex_[first_leaf_[v]] = v;
  }
}

void TreeTopology::measure(std::span<const std::int64_t> level_distance) {
  const std::int32_t n = vertices();
  position_.assign(n, 0);
  if (level_distance.empty()) {
    for (std::int32_t v = 0; v < n; ++v) position_[v] = 2LL * level_[v];
    return;
  }
  if (level_distance.size() != static_cast<std::size_t>(depth_))
    throw Error(std::to_string(level_distance.size()) + " distances for a tree of " + std::to_string(depth_) +
                " levels");
  std::int64_t before = 0;
  for (const std::int64_t distance : level_distance) {
    if (distance < before || distance > INT32_MAX)
      throw Error("distance " + std::to_string(distance) + ": they must not be negative, decrease, or pass 2^31 - 1");
    before = distance;
  }
  const auto at = [&](std::int32_t h) { return h == 0 ? 0 : level_distance[h - 1]; };
  for (std::int32_t v = 1; v < n; ++v) position_[v] = position_[parent_[v]] + at(height_[parent_[v]]) - at(height_[v]);
}

std::int32_t TreeTopology::lowest_common_ancestor(std::int32_t vertex, std::int32_t other) const {
  while (level_[vertex] > level_[other]) vertex = parent_[vertex];
  while (level_[other] > level_[vertex]) other = parent_[other];
  while (vertex != other) {
    vertex = parent_[vertex];
    other = parent_[other];
  }
  return vertex;
}

std::int32_t TreeTopology::least_height_of(std::int32_t count) const {
  const auto found = std::ranges::find_if(most_leaves_, [&](std::int32_t most) { return most >= count; });
  return static_cast<std::int32_t>(found - most_leaves_.begin());
}

std::int64_t TreeTopology::distance(std::int32_t leaf, std::int32_t other) const {
  const std::int32_t a = leaf_vertex_[leaf];
  const std::int32_t b = leaf_vertex_[other];
  return (position_[a] + position_[b]) / 2 - position_[lowest_common_ancestor(a, b)];
}

// Each vertex above the leaf of a rank has one range of leaves below it. The smallest range with the leaf of a
// neighbour belongs to the lowest common ancestor. The ranges without this leaf are counted in a loop that has no
// branches to mispredict. Sums in 64 bits are faster than those in Cost, and nearly always sufficient.
template <typename Sum>
Cost TreeTopology::summed_hop_bytes(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank,
                                    std::span<const std::int64_t> position) const {
  struct Above {
    std::uint32_t first, leaves;
    std::int64_t position;
  };
  std::vector<Above> above(static_cast<std::size_t>(depth_) + 1);
  Sum cost = 0;
  for (std::int32_t a = 0; a < matrix.ranks(); ++a) {
    const auto neighbours = matrix.neighbours(a);
    const auto weights = matrix.weights(a);
    if (neighbours.empty() || neighbours.back() < a) continue;
    above[0] = {static_cast<std::uint32_t>(leaf_of_rank[a]), 1, position[a]};
    std::size_t ranges = 1;
    for (std::int32_t v = parent_[leaf_vertex_[leaf_of_rank[a]]]; v >= 0; v = parent_[v])
      above[ranges++] = {static_cast<std::uint32_t>(first_leaf_[v]), static_cast<std::uint32_t>(leaf_count_[v]),
                         position_[v]};
    for (std::size_t k = neighbours.size(); k > 0 && neighbours[k - 1] > a; --k) {
      const std::int32_t b = neighbours[k - 1];
      const auto leaf = static_cast<std::uint32_t>(leaf_of_rank[b]);
      std::size_t common = 0;
      for (std::size_t each = 0; each < ranges; ++each) common += leaf - above[each].first >= above[each].leaves;
      cost += static_cast<Sum>(weights[k - 1]) * ((position[a] + position[b]) / 2 - above[common].position);
    }
  }
  return cost;
}

// Returns the hop-bytes if all pairs have equal traffic. A link with k of the n ranks below it carries k (n - k) pairs.
// The ranks climb from the deepest level to the root. Ranks that meet at a vertex are neighbours in the list.
Cost TreeTopology::hop_bytes_over_links(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const {
  std::vector<std::int32_t> leaves(leaf_of_rank.begin(), leaf_of_rank.end());
  std::ranges::sort(leaves);
  std::vector<std::pair<std::int32_t, std::int64_t>> below;  // vertex, and number of ranks below it
  for (const std::int32_t leaf : leaves) below.emplace_back(leaf_vertex_[leaf], 1);
  Cost twice = 0;
  for (std::int32_t level = depth_; level > 0; --level) {
    std::size_t kept = 0;
    for (auto [v, ranks] : below) {
      if (level_[v] == level) {
        twice += static_cast<Cost>(position_[v] - position_[parent_[v]]) * ranks * (matrix.ranks() - ranks);
        v = parent_[v];
      }
      if (kept > 0 && below[kept - 1].first == v)
        below[kept - 1].second += ranks;
      else
        below[kept++] = {v, ranks};
    }
    below.resize(kept);
  }
  return twice / 2 * matrix.weights(0).front();
}

Cost TreeTopology::hop_bytes(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const {
  if (matrix.all_alike()) return hop_bytes_over_links(matrix, leaf_of_rank);
  std::vector<std::int64_t> position(leaf_of_rank.size());  // of each rank's leaf; the largest bounds all distances
  std::int64_t largest = 0;
  for (std::size_t rank = 0; rank < position.size(); ++rank)
    largest = std::max(largest, position[rank] = position_[leaf_vertex_[leaf_of_rank[rank]]]);
  return static_cast<Cost>(matrix.total_weight()) * largest <= INT64_MAX
             ? summed_hop_bytes<std::int64_t>(matrix, leaf_of_rank, position)
             : summed_hop_bytes<Cost>(matrix, leaf_of_rank, position);
}

}  // namespace placement

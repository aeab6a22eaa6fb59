// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// A rooted tree whose leaves are the places that a rank can take: cores, or nodes. Levels above
// are sockets, nodes, switches. Subtrees may differ in shape and depth.
//
// Leaves are numbered 0, 1, .. from left to right, so that every subtree holds one contiguous run.
// The distance of two leaves is that of an additive tree metric: the position of a vertex is twice
// its distance from the root, and
//     distance(a, b) = (position(a) + position(b)) / 2 - position(lca(a, b)).
// By default each link counts one hop; in a balanced tree that is 2 * levels up to the lowest
// common ancestor [TM §1].
class TreeTopology {
 public:
  static constexpr std::int32_t max_leaves = 1 << 24;

  TreeTopology() = default;

  // Arities from the root to the leaves; level_distance[l - 1] is the distance of two leaves whose
  // lowest common ancestor is l levels up (empty: 2 l). Throws Error on an arity below 1, too many
  // leaves, or distances that are negative or decrease.
  static TreeTopology balanced(std::span<const std::int32_t> arities,
                               std::span<const std::int64_t> level_distance = {});

  // parent[0] is -1 (the root), parent[v] < v for all others; siblings stay in the order of their
  // numbers. A vertex l levels above its deepest leaf takes level_distance[l - 1] (empty: each link
  // is one hop).
  static TreeTopology from_parents(std::span<const std::int32_t> parent,
                                   std::span<const std::int64_t> level_distance = {});

  // The tree above these vertices, which become its leaves in the order of their own leaves; each
  // keeps its position. None may lie below another.
  TreeTopology cut_at(std::span<const std::int32_t> vertices) const;

  std::int32_t leaves() const { return static_cast<std::int32_t>(leaf_vertex_.size()); }
  std::int32_t vertices() const { return static_cast<std::int32_t>(parent_.size()); }
  std::int32_t depth() const { return depth_; }  // levels between the root and the deepest leaf

  std::int32_t parent(std::int32_t vertex) const { return parent_[vertex]; }
  std::span<const std::int32_t> children(std::int32_t vertex) const {
    return {child_.data() + first_child_[vertex], child_.data() + first_child_[vertex + 1]};
  }
  std::int32_t first_leaf(std::int32_t vertex) const { return first_leaf_[vertex]; }
  std::int32_t leaf_count(std::int32_t vertex) const { return leaf_count_[vertex]; }
  std::int32_t level(std::int32_t vertex) const { return level_[vertex]; }       // root is 0
  std::int32_t height(std::int32_t vertex) const { return height_[vertex]; }     // above its deepest leaf

  // The height of the lowest vertex with so many leaves; 0 < count <= leaves().
  std::int32_t least_height_of(std::int32_t count) const;

  std::int64_t position(std::int32_t vertex) const { return position_[vertex]; }  // see above
  std::int32_t leaf_vertex(std::int32_t leaf) const { return leaf_vertex_[leaf]; }

  std::int32_t lowest_common_ancestor(std::int32_t vertex, std::int32_t other) const;
  std::int64_t distance(std::int32_t leaf, std::int32_t other) const;

  // Sum over pairs of traffic times distance; leaf_of_rank has one leaf per rank [TM §1].
  Cost hop_bytes(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const;

 private:
  void number_leaves();
  void measure(std::span<const std::int64_t> level_distance);

  std::vector<std::int32_t> parent_;
  std::vector<std::int32_t> first_child_;  // vertices + 1 offsets into child_
  std::vector<std::int32_t> child_;
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> height_;
  std::vector<std::int32_t> most_leaves_;  // below any vertex of each height
  std::vector<std::int32_t> first_leaf_;
  std::vector<std::int32_t> leaf_count_;
  std::vector<std::int32_t> leaf_vertex_;
  std::vector<std::int64_t> position_;
  std::int32_t depth_ = 0;
};

}  // namespace placement

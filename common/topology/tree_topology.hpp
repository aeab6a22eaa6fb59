// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// A rooted tree whose leaves are the places of ranks: cores, or nodes. The vertices above the leaves are sockets, nodes
// and switches. Subtrees may differ in shape and depth.
//
// Leaves are numbered 0, 1, .. from left to right. The position of a vertex is twice its distance from the root. With
// the lowest common ancestor c, distance(a, b) = (position(a) + position(b)) / 2 - position(c). By default each link
// counts one hop [TM §1].
class TreeTopology {
 public:
  static constexpr std::int32_t max_leaves = 1 << 24;

  TreeTopology() = default;

  // Returns the tree with these arities from the root to the leaves. level_distance[l - 1] is the distance of two
  // leaves whose lowest common ancestor is l levels up (empty: 2 l). Throws Error for an arity below 1, too many
  // leaves, and distances that are negative or decrease. Also throws Error for distances above 2^31 - 1, and if they
  // are not one per level.
  static TreeTopology balanced(std::span<const std::int32_t> arities,
                               std::span<const std::int64_t> level_distance = {});

  // Returns the tree in which parent[v] is the parent of vertex v. parent[0] must be -1 (the root), and parent[v] < v
  // for all others. Siblings are in the order of their numbers. level_distance[l - 1] is the distance of two leaves
  // whose lowest common ancestor is l levels above its deepest leaf (empty: each link is one hop). Throws Error when
  // the parents are not a tree, on too many leaves, and on distances that balanced() rejects.
  static TreeTopology from_parents(std::span<const std::int32_t> parent,
                                   std::span<const std::int64_t> level_distance = {});

  // Returns the part of the tree above these vertices, which become its leaves. They keep their order from left to
  // right and their positions, and so their distances. None of the vertices may be below another.
  TreeTopology cut_at(std::span<const std::int32_t> vertices) const;

  std::int32_t leaves() const { return static_cast<std::int32_t>(leaf_vertex_.size()); }
  std::int32_t vertices() const { return static_cast<std::int32_t>(parent_.size()); }
  std::int32_t depth() const { return depth_; }  // number of links between the root and the deepest leaf

  std::int32_t parent(std::int32_t vertex) const { return parent_[vertex]; }
  std::span<const std::int32_t> children(std::int32_t vertex) const {
    return {child_.data() + first_child_[vertex], child_.data() + first_child_[vertex + 1]};
  }
  // The leaves below a vertex are first_leaf(vertex) .. first_leaf(vertex) + leaf_count(vertex) - 1.
  std::int32_t first_leaf(std::int32_t vertex) const { return first_leaf_[vertex]; }
  std::int32_t leaf_count(std::int32_t vertex) const { return leaf_count_[vertex]; }
  std::int32_t level(std::int32_t vertex) const { return level_[vertex]; }    // links to the root, whose level is 0
  std::int32_t height(std::int32_t vertex) const { return height_[vertex]; }  // links to the deepest leaf below it

  // Returns the least height of a vertex that has at least `count` leaves; 0 < count <= leaves().
  std::int32_t least_height_of(std::int32_t count) const;

  std::int64_t position(std::int32_t vertex) const { return position_[vertex]; }  // twice its distance from the root
  // Returns the vertex that is this leaf.
  std::int32_t leaf_vertex(std::int32_t leaf) const { return leaf_vertex_[leaf]; }

  // Returns the deepest vertex that has both vertices below it, or is one of them.
  std::int32_t lowest_common_ancestor(std::int32_t vertex, std::int32_t other) const;
  // Returns the distance of two leaves, by default in hops.
  std::int64_t distance(std::int32_t leaf, std::int32_t other) const;

  // Returns the hop-bytes of a mapping: the sum over all pairs of traffic times distance [TM §1]. `leaf_of_rank` holds
  // the leaf of each rank.
  Cost hop_bytes(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const;

 private:
  void number_leaves();
  void measure(std::span<const std::int64_t> level_distance);
  Cost hop_bytes_over_links(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const;
  template <typename Sum>
  Cost summed_hop_bytes(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank,
                        std::span<const std::int64_t> position) const;

  std::vector<std::int32_t> parent_;
  std::vector<std::int32_t> first_child_;  // vertices + 1 offsets into child_
  std::vector<std::int32_t> child_;
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> height_;
  std::vector<std::int32_t> most_leaves_;  // of each height: the largest leaf_count of a vertex
  std::vector<std::int32_t> first_leaf_;
  std::vector<std::int32_t> leaf_count_;
  std::vector<std::int32_t> leaf_vertex_;
  std::vector<std::int64_t> position_;
  std::int32_t depth_ = 0;
};

}  // namespace placement

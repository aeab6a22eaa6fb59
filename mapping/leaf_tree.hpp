// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"

namespace placement {

// The part of a tree above some of its leaves: only vertices at which those leaves part, so that
// its size is at most twice theirs. The leaves are its slots 0, 1, .. from left to right; a subtree
// holds one contiguous run of them. Distances are those of the tree.
class LeafTree {
 public:
  // `leaves` ascending without duplicates, at least one.
  LeafTree(const TreeTopology& tree, std::span<const std::int32_t> leaves);

  // The tree above these vertices, which become its slots: they come from left to right, all equally
  // far from the root, and hold all slots of this tree.
  LeafTree cut_at(std::span<const std::int32_t> vertices) const;

  struct Vertex {
    std::int32_t parent = -1;
    std::int32_t first_slot = 0;
    std::int32_t slots = 0;       // in the subtree
    std::int32_t first_child = 0;  // children are consecutive
    std::int32_t children = 0;     // 0 or at least 2
    std::int64_t position = 0;     // twice the distance from the root of the whole tree

    bool operator==(const Vertex&) const = default;
  };

  // The root is vertex 0; parents come before their children.
  std::span<const Vertex> vertices() const { return vertex_; }
  const Vertex& vertex(std::int32_t v) const { return vertex_[v]; }
  std::int32_t slots() const { return static_cast<std::int32_t>(leaf_.size()); }
  std::int32_t leaf(std::int32_t slot) const { return leaf_[slot]; }
  std::int32_t slot_vertex(std::int32_t slot) const { return slot_vertex_[slot]; }

  // No two slots are farther apart.
  std::int64_t diameter() const { return diameter_; }

  // Of two different slots. O(1) where the position of a vertex follows from its level, which holds for hops and for every
  // balanced tree; O(log slots) otherwise.
  std::int64_t distance(std::int32_t a, std::int32_t b) const {
    if (!coded_) return far_distance(a, b);
    return offset_[a] + offset_[b] + by_bit_[std::bit_width(code_[a] ^ code_[b])];
  }

 private:
  LeafTree() = default;
  void keep_branchings(const TreeTopology& tree);
  void assign_slots();
  void assign_codes(const TreeTopology& tree);
  void find_heavy_paths();
  std::int64_t far_distance(std::int32_t a, std::int32_t b) const;

  std::vector<Vertex> vertex_;
  std::vector<std::int32_t> origin_;  // the same vertex in the whole tree
  std::vector<std::int32_t> leaf_;
  std::vector<std::int32_t> slot_vertex_;

  std::int64_t diameter_ = 0;

  // A slot's code spells the way from the root, some bits per level: the highest bit in which two
  // codes differ tells the level at which they part.
  bool coded_ = false;
  std::vector<std::uint64_t> code_;
  std::vector<std::int64_t> offset_;  // half the position of the slot above the least one
  std::int64_t by_bit_[65] = {};

  std::vector<std::int32_t> path_top_;  // first vertex of the heavy path through each vertex
};

}  // namespace placement

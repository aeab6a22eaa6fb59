// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"

namespace placement::mapping {

// The part of a topology tree above some of its leaves: these leaves, and the vertices at which the paths from the root
// to them branch. So it has fewer than twice as many vertices as leaves. The leaves are its slots 0, 1, .. from left to
// right. A subtree holds a contiguous run of slots. Distances are those of the topology tree.
class LeafTree {
 public:
  // `leaves` are leaves of `tree`, ascending without duplicates, at least one.
  LeafTree(const TreeTopology& tree, std::span<const std::int32_t> leaves);

  // Returns the tree above the vertices `vertices`, which become its slots. They are ordered from left to right and
  // equally far from the root. Each slot of this tree lies below one of them.
  LeafTree cut_at(std::span<const std::int32_t> vertices) const;

  struct Vertex {
    std::int32_t parent = -1;      // -1 for the root
    std::int32_t first_slot = 0;   // the leftmost slot in the subtree
    std::int32_t slots = 0;        // number of slots in the subtree
    std::int32_t first_child = 0;  // the children have consecutive numbers
    std::int32_t children = 0;     // 0 or at least 2
    std::int64_t position = 0;     // twice the distance from the root of the whole tree
  };

  // Returns all vertices by number. The root is vertex 0, and parents have smaller numbers than their children.
  std::span<const Vertex> vertices() const { return vertex_; }
  const Vertex& vertex(std::int32_t v) const { return vertex_[v]; }
  // Return the number of slots, and for a slot, 0..slots()-1, its leaf of the topology tree and its vertex of this
  // tree.
  std::int32_t slots() const { return static_cast<std::int32_t>(leaf_.size()); }
  std::int32_t leaf(std::int32_t slot) const { return leaf_[slot]; }
  std::int32_t slot_vertex(std::int32_t slot) const { return slot_vertex_[slot]; }
  // Returns the slots of some of the leaves, in their order.
  std::vector<std::int32_t> slots_of(std::span<const std::int32_t> leaves) const;

  // Returns the distance between two different slots. Takes O(1) if all vertices of a level have one position, as with
  // hops and in every balanced tree; otherwise up to twice as many steps as the tree has levels.
  std::int64_t distance(std::int32_t a, std::int32_t b) const {
    if (!coded_) return far_distance(a, b);
    return offset_[a] + offset_[b] + by_bit_[std::bit_width(code_[a] ^ code_[b])];
  }

  // Returns distance(to, place) - distance(from, place). `place` is neither of the other two slots.
  std::int64_t distance_change(std::int32_t from, std::int32_t to, std::int32_t place) const {
    if (!coded_) return far_distance(to, place) - far_distance(from, place);
    const std::uint64_t code = code_[place];
    return offset_[to] - offset_[from] + by_bit_[std::bit_width(code_[to] ^ code)] -
           by_bit_[std::bit_width(code_[from] ^ code)];
  }

 private:
  LeafTree() = default;
  void keep_branchings(const TreeTopology& tree);
  void assign_slots();
  void assign_codes(const TreeTopology& tree);
  std::int64_t far_distance(std::int32_t a, std::int32_t b) const;

  std::vector<Vertex> vertex_;
  std::vector<std::int32_t> origin_;  // for each vertex: its number in the topology tree
  std::vector<std::int32_t> leaf_;
  std::vector<std::int32_t> slot_vertex_;

  // The code of a slot is the path from the root to it, with some bits per level. The highest bit in which two codes
  // differ gives the level of the lowest common ancestor.
  bool coded_ = false;
  std::vector<std::uint64_t> code_;
  std::vector<std::int64_t> offset_;  // per slot: (its position - the least position of a slot) / 2
  std::int64_t by_bit_[65] = {};
};

}  // namespace placement::mapping

// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/leaf_tree.hpp"

#include <algorithm>

namespace placement::mapping {

LeafTree::LeafTree(const TreeTopology& tree, std::span<const std::int32_t> leaves)
    : leaf_(leaves.begin(), leaves.end()) {
  keep_branchings(tree);
  assign_slots();
  assign_codes(tree);
}

std::vector<std::int32_t> LeafTree::slots_of(std::span<const std::int32_t> leaves) const {
  std::vector<std::int32_t> slots;
  for (const std::int32_t leaf : leaves)
    slots.push_back(static_cast<std::int32_t>(std::lower_bound(leaf_.begin(), leaf_.end(), leaf) - leaf_.begin()));
  return slots;
}

LeafTree LeafTree::cut_at(std::span<const std::int32_t> vertices) const {
  std::vector<std::int32_t> number(vertex_.size(), -1);
  for (const std::int32_t cut : vertices)
    for (std::int32_t v = cut; v >= 0 && number[v] < 0; v = vertex_[v].parent) number[v] = 0;
  std::int32_t kept = 0;
  for (std::int32_t& n : number)
    if (n == 0) n = kept++;
  LeafTree above;
  for (std::size_t v = 0; v < vertex_.size(); ++v) {
    if (number[v] < 0) continue;
    Vertex vertex = vertex_[v];
    const bool leaf = vertex.children == 0 || number[vertex.first_child] < 0;
    if (v > 0) vertex.parent = number[vertex.parent];
    vertex.first_child = leaf ? kept : number[vertex.first_child];
    if (leaf) vertex.children = 0;
    vertex.slots = 0;
    above.vertex_.push_back(vertex);
    above.origin_.push_back(origin_[v]);
  }
  for (const std::int32_t v : vertices) above.leaf_.push_back(leaf_[vertex_[v].first_slot]);
  above.assign_slots();
  above.coded_ = coded_;
  if (!coded_) return above;
  // Any slot below a vertex can give the code: the lowest common ancestor of two vertices is that of their slots.
  std::int64_t least = INT64_MAX;
  for (const std::int32_t v : slot_vertex_) least = std::min(least, vertex_[v].position);
  for (const std::int32_t v : vertices) above.code_.push_back(code_[vertex_[v].first_slot]);
  above.offset_.assign(vertices.size(), 0);
  for (int bit = 0; bit <= 64; ++bit) above.by_bit_[bit] = by_bit_[bit] - least + vertex_[vertices.front()].position;
  return above;
}

void LeafTree::keep_branchings(const TreeTopology& tree) {
  const auto holds = [&](std::int32_t v, std::int32_t leaf) { return leaf < tree.first_leaf(v) + tree.leaf_count(v); };
  std::vector<std::int32_t> first, end;  // for each vertex: its first slot, and one past its last slot
  first.reserve(2 * leaf_.size());
  end.reserve(2 * leaf_.size());
  origin_.reserve(2 * leaf_.size());
  vertex_.reserve(2 * leaf_.size());
  first.push_back(0);
  end.push_back(static_cast<std::int32_t>(leaf_.size()));
  const auto add = [&](std::int32_t parent) {
    std::int32_t v = tree.leaf_vertex(leaf_[first.back()]);
    while (!holds(v, leaf_[end.back() - 1])) v = tree.parent(v);
    origin_.push_back(v);
    vertex_.emplace_back();
    vertex_.back().parent = parent;
    vertex_.back().position = tree.position(v);
  };
  add(-1);
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(vertex_.size()); ++v) {
    vertex_[v].first_child = static_cast<std::int32_t>(vertex_.size());
    if (end[v] - first[v] == 1) continue;
    for (std::int32_t slot = first[v]; slot < end[v];) {  // the run of slots below one child in the whole tree
      std::int32_t child = tree.leaf_vertex(leaf_[slot]);
      while (tree.parent(child) != origin_[v]) child = tree.parent(child);
      first.push_back(slot);
      while (slot < end[v] && holds(child, leaf_[slot])) ++slot;
      end.push_back(slot);
      add(v);
      ++vertex_[v].children;
    }
  }
}

void LeafTree::assign_slots() {
  for (std::int32_t v = static_cast<std::int32_t>(vertex_.size()) - 1; v >= 0; --v) {
    if (vertex_[v].children == 0) vertex_[v].slots = 1;
    if (v > 0) vertex_[vertex_[v].parent].slots += vertex_[v].slots;
  }
  slot_vertex_.resize(leaf_.size());
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(vertex_.size()); ++v) {
    std::int32_t next = vertex_[v].first_slot;
    for (std::int32_t k = 0; k < vertex_[v].children; ++k) {
      Vertex& child = vertex_[vertex_[v].first_child + k];
      child.first_slot = next;
      next += child.slots;
    }
    if (vertex_[v].children == 0) slot_vertex_[vertex_[v].first_slot] = v;
  }
}

void LeafTree::assign_codes(const TreeTopology& tree) {
  std::vector<int> bits(tree.depth() + 1, 0);
  std::vector<std::int64_t> position(tree.depth() + 1, -1);
  for (std::size_t v = 0; v < vertex_.size(); ++v) {
    if (vertex_[v].children == 0) continue;
    const std::int32_t level = tree.level(origin_[v]);
    const auto turns = static_cast<std::uint32_t>(vertex_[v].children);
    bits[level] = std::max(bits[level], static_cast<int>(std::bit_width(turns - 1)));
    if (position[level] >= 0 && position[level] != vertex_[v].position) return;
    position[level] = vertex_[v].position;
  }
  std::vector<int> shift(tree.depth() + 2, 0);
  for (std::int32_t level = tree.depth(); level >= 0; --level) {
    shift[level] = shift[level + 1] + bits[level];
    if (shift[level] > 63) return;
  }
  std::vector<std::uint64_t> code(vertex_.size(), 0);
  for (std::size_t v = 1; v < vertex_.size(); ++v) {
    const std::int32_t parent = vertex_[v].parent;
    const std::uint64_t turn = v - vertex_[parent].first_child;
    code[v] = code[parent] | turn << shift[tree.level(origin_[parent]) + 1];
  }
  std::int64_t least = INT64_MAX;
  for (const std::int32_t v : slot_vertex_) least = std::min(least, vertex_[v].position);
  for (std::int32_t level = 0; level <= tree.depth(); ++level)
    for (int bit = shift[level + 1] + 1; bit <= shift[level]; ++bit) by_bit_[bit] = least - position[level];
  code_.resize(leaf_.size());
  offset_.resize(leaf_.size());
  for (std::size_t slot = 0; slot < leaf_.size(); ++slot) {
    code_[slot] = code[slot_vertex_[slot]];
    offset_[slot] = (vertex_[slot_vertex_[slot]].position - least) / 2;
  }
  coded_ = true;
}

std::int64_t LeafTree::far_distance(std::int32_t a, std::int32_t b) const {
  std::int32_t u = slot_vertex_[a];
  std::int32_t v = slot_vertex_[b];
  const std::int64_t ends = vertex_[u].position + vertex_[v].position;
  while (u != v) {  // parents have smaller numbers than children
    std::int32_t& lower = u > v ? u : v;
    lower = vertex_[lower].parent;
  }
  return ends / 2 - vertex_[u].position;
}

}  // namespace placement::mapping

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace placement::sim {

// A set of nodes of a machine, in words of 64 bits. Sets that are compared or joined are of one machine.
class NodeBits {
 public:
  static NodeBits none(std::size_t nodes) { return NodeBits(nodes, 0); }
  static NodeBits all(std::size_t nodes) {
    NodeBits bits(nodes, ~std::uint64_t{0});
    if (nodes % 64 != 0) bits.words_.back() >>= 64 - nodes % 64;
    return bits;
  }

  std::int64_t count() const {
    std::int64_t nodes = 0;
    for (const std::uint64_t word : words_) nodes += std::popcount(word);
    return nodes;
  }
  // Calls a function with the number of each node, in ascending order.
  template <typename Function>
  void for_each(Function function) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        function(static_cast<std::int32_t>(w) * 64 + std::countr_zero(left));
  }
  bool has(std::int32_t node) const { return (words_[word_of(node)] & bit_of(node)) != 0; }
  void add(std::int32_t node) { words_[word_of(node)] |= bit_of(node); }
  void remove(std::int32_t node) { words_[word_of(node)] &= ~bit_of(node); }
  // Removes the nodes that `other` does not have.
  void keep(const NodeBits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }
  // Returns whether a node is in this set, but not in both of the others.
  bool exceeds(const NodeBits& first, const NodeBits& second) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & ~(first.words_[w] & second.words_[w])) != 0) return true;
    return false;
  }

 private:
  NodeBits(std::size_t nodes, std::uint64_t word) : words_((nodes + 63) / 64, word) {}
  static std::size_t word_of(std::int32_t node) { return static_cast<std::size_t>(node) / 64; }
  static std::uint64_t bit_of(std::int32_t node) { return std::uint64_t{1} << (node % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace placement::sim

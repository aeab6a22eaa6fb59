// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace placement::mpi {

// The position of one rank in a tree over which a collective runs. Each function below returns the position of `rank`
// among `size` ranks in the tree with this `root`.
struct TreePosition {
  std::int32_t parent = -1;  // -1 at the root
  std::vector<std::int32_t> children;
};

// A complete tree with `fanout` children for each vertex, numbered in breadth-first order.
TreePosition complete_tree(std::int32_t fanout, std::int32_t rank, std::int32_t size, std::int32_t root);
// A binomial tree with interleaved subtrees. The k-th child of the root is root + 2^k; the children of any other rank
// have an additional bit above its highest bit.
TreePosition binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root);
// A binomial tree whose subtrees are ranges of consecutive ranks.
TreePosition in_order_binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root);
// A tree like in_order_binomial_tree() with the base `radix` instead of 2.
TreePosition knomial_tree(std::int32_t radix, std::int32_t rank, std::int32_t size, std::int32_t root);
// A binary tree in post-order. The root is the last rank; the right subtree has the lower half of the other ranks.
TreePosition in_order_binary_tree(std::int32_t rank, std::int32_t size);
// `count` chains of about equal length that begin at the root.
TreePosition chains(std::int32_t count, std::int32_t rank, std::int32_t size, std::int32_t root);
// A binomial tree in which the root and rank 0 are exchanged.
TreePosition swapped_binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root);

// Returns the largest power of two that is at most n; n is at least 1.
constexpr std::int32_t power_of_two_below(std::int32_t n) {
  std::int32_t power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

}  // namespace placement::mpi

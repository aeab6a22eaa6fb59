// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace placement {

// The trees over which collectives run. Each function gives the position of one rank.
struct TreePosition {
  std::int32_t parent = -1;  // -1 at the root
  std::vector<std::int32_t> children;
};

// Complete tree of the fanout in breadth-first order.
TreePosition complete_tree(std::int32_t fanout, std::int32_t rank, std::int32_t size, std::int32_t root);
// Binomial tree whose k-th child of the root is root + 2^k, that of others continues above their
// highest bit: subtrees interleave.
TreePosition binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root);
// Binomial tree whose subtrees are runs of consecutive ranks.
TreePosition in_order_binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root);
// The same with another base than 2.
TreePosition knomial_tree(std::int32_t radix, std::int32_t rank, std::int32_t size, std::int32_t root);
// Binary tree in post-order: the root is the last rank, its right part the lower half.
TreePosition in_order_binary_tree(std::int32_t rank, std::int32_t size);
// Chains of about equal length that start at the root.
TreePosition chains(std::int32_t count, std::int32_t rank, std::int32_t size, std::int32_t root);
// Binomial tree in which the root and rank 0 have changed places.
TreePosition swapped_binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root);

// Largest power of two that is not above n; n >= 1.
constexpr std::int32_t power_of_two_below(std::int32_t n) {
  std::int32_t power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

}  // namespace placement

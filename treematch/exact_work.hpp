// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "treematch/subtree_classes.hpp"

namespace placement::treematch {

// How much exact_mapping() does, counted before it begins.

constexpr std::int32_t most_ranks_mapped_exactly = 16;

// Which sets of ranks a part of the machine can take, and on how many of its nodes. Where nodes are not counted,
// `nodes` is 0.
struct Capacity {
  std::int32_t slots = 0;     // largest number of ranks in a set
  std::int32_t nodes = 0;     // largest number of nodes that a mapping may use here
  std::int32_t per_node = 0;  // largest number of ranks on one of these nodes

  std::int32_t least_nodes(std::int32_t ranks) const { return nodes == 0 ? 0 : (ranks + per_node - 1) / per_node; }
  std::int32_t most_nodes(std::int32_t ranks) const { return std::min(nodes, ranks); }
  std::size_t numbers_of_nodes() const { return static_cast<std::size_t>(nodes) + 1; }  // from 0 to `nodes`
};

// Returns the capacity of a subtree of the class where up to `nodes` nodes are counted.
Capacity capacity_of(const SubtreeClass& subtree, std::int32_t nodes);

// Returns the capacity of two parts together for up to `ranks` ranks on up to `nodes` nodes.
Capacity together(const Capacity& one, const Capacity& other, std::int32_t ranks, std::int32_t nodes);

struct ExactWork {
  double steps = 0;         // least costs that are compared, for all tables and for placing the ranks by them
  std::size_t entries = 0;  // largest number of least costs kept at once, for each set of ranks
};

// Counts the work of the search below some vertices.
//   classes     classes of the subtrees, for this number of ranks
//   tops        vertices; those without a class are passed over
//   ranks       1 to most_ranks_mapped_exactly
//   nodes       largest number of nodes that the tables tell apart, at most `ranks`; 0 where nodes are not counted
//   most_steps  where more steps than these are needed, the count ends with a number between
// Takes time in proportion to the number of classes and of their children.
ExactWork exact_work(const SubtreeClasses& classes, std::span<const std::int32_t> tops, std::int32_t ranks,
                     std::int32_t nodes, double most_steps);

// Returns a lower bound of the steps that the search takes on any tree: those for one switch that just holds the
// ranks. Larger children take more steps.
constexpr std::int64_t least_steps(std::int32_t ranks) { return std::int64_t{2 * ranks} << ranks; }

}  // namespace placement::treematch

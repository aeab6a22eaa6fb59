// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/mapping_check.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/util/error.hpp"

namespace placement::mapping {

void check_usable(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks) {
  std::int32_t before = -1;
  for (const std::int32_t leaf : usable) {
    if (leaf < 0 || leaf >= tree.leaves())
      throw Error("usable leaf " + std::to_string(leaf) + " is outside 0.." + std::to_string(tree.leaves() - 1));
    if (leaf == before) throw Error("usable leaf " + std::to_string(leaf) + " is listed twice");
    if (leaf < before)
      throw Error("usable leaf " + std::to_string(leaf) + " comes after " + std::to_string(before) +
                  ": they must ascend");
    before = leaf;
  }
  if (ranks > 0 && usable.empty()) throw Error("no leaf of the tree is usable for " + std::to_string(ranks) + " ranks");
  if (static_cast<std::size_t>(ranks) > usable.size())
    throw Error(std::to_string(ranks) + " ranks do not fit on " + std::to_string(usable.size()) + " usable leaves");
}

void check_mapping(std::span<const std::int32_t> usable, std::int32_t ranks,
                   std::span<const std::int32_t> leaf_of_rank) {
  if (leaf_of_rank.size() != static_cast<std::size_t>(ranks))
    throw Error("the mapping has " + std::to_string(leaf_of_rank.size()) + " ranks, but the matrix has " +
                std::to_string(ranks));
  std::vector<std::int32_t> owner(usable.size(), -1);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto found = std::lower_bound(usable.begin(), usable.end(), leaf_of_rank[rank]);
    if (found == usable.end() || *found != leaf_of_rank[rank])
      throw Error("rank " + std::to_string(rank) + " is on leaf " + std::to_string(leaf_of_rank[rank]) +
                  ", which is not usable");
    std::int32_t& who = owner[found - usable.begin()];
    if (who >= 0)
      throw Error("ranks " + std::to_string(who) + " and " + std::to_string(rank) + " are both on leaf " +
                  std::to_string(leaf_of_rank[rank]));
    who = rank;
  }
}

namespace {

template <typename Sum>
Sum summed(const CommMatrix& matrix, const LeafTree& tree, std::span<const std::int32_t> slot,
           const WorkBudget& watch) {
  Sum cost = 0;
  for (std::int32_t a = 0; a < matrix.ranks(); ++a) {
    const auto neighbours = matrix.neighbours(a);
    const auto weights = matrix.weights(a);
    watch.spend(static_cast<std::int64_t>(neighbours.size()) + 1);
    for (std::size_t k = neighbours.size(); k > 0 && neighbours[k - 1] > a; --k)
      cost += static_cast<Sum>(weights[k - 1]) * tree.distance(slot[a], slot[neighbours[k - 1]]);
  }
  return cost;
}

// Returns the cost if all pairs have equal traffic. A link with k of the n ranks below it carries k (n - k) pairs.
Cost summed_over_links(const CommMatrix& matrix, const LeafTree& tree, std::span<const std::int32_t> slot) {
  const std::span<const LeafTree::Vertex> vertices = tree.vertices();
  std::vector<std::int64_t> ranks_below(vertices.size(), 0);
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) ++ranks_below[tree.slot_vertex(slot[rank])];
  Cost twice = 0;
  for (std::size_t v = vertices.size() - 1; v > 0; --v) {
    const auto parent = static_cast<std::size_t>(vertices[v].parent);
    ranks_below[parent] += ranks_below[v];
    twice += static_cast<Cost>(vertices[v].position - vertices[parent].position) * ranks_below[v] *
             (matrix.ranks() - ranks_below[v]);
  }
  return twice / 2 * matrix.weights(0).front();
}

}  // namespace

Cost mapping_cost(const CommMatrix& matrix, const LeafTree& tree, std::span<const std::int32_t> slot,
                  const WorkBudget& watch) {
  if (matrix.all_alike()) {
    watch.spend(tree.slots());
    return summed_over_links(matrix, tree, slot);
  }
  // Sums in 64 bits are twice as fast as those in Cost, and nearly always sufficient.
  const bool fits = static_cast<Cost>(matrix.total_weight()) * tree.diameter() <= INT64_MAX;
  return fits ? Cost{summed<std::int64_t>(matrix, tree, slot, watch)} : summed<Cost>(matrix, tree, slot, watch);
}

}  // namespace placement::mapping

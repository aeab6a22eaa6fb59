// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/map_memory.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

using Ints = std::vector<std::int32_t>;

inline Ints all_leaves(const TreeTopology& tree) {
  Ints leaves(tree.leaves());
  std::iota(leaves.begin(), leaves.end(), 0);
  return leaves;
}

inline bool legal(const MapResult& result, const Ints& usable) {
  Ints leaves = result.leaf_of_rank;
  std::sort(leaves.begin(), leaves.end());
  return std::adjacent_find(leaves.begin(), leaves.end()) == leaves.end() &&
         std::includes(usable.begin(), usable.end(), leaves.begin(), leaves.end());
}

// Returns the least cost of all mappings on the usable leaves.
inline Cost optimum(const CommMatrix& matrix, const TreeTopology& tree, Ints usable) {
  Cost best = -1;
  do {
    const Cost cost = tree.hop_bytes(matrix, {usable.data(), static_cast<std::size_t>(matrix.ranks())});
    if (best < 0 || cost < best) best = cost;
    // Only the first ranks() entries matter, so that permutations of the others are skipped.
    std::reverse(usable.begin() + matrix.ranks(), usable.end());
  } while (std::next_permutation(usable.begin(), usable.end()));
  return best;
}

// Returns the hop-bytes of the natural order: rank r on the r-th leaf of the scope.
inline Cost natural_cost(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable,
                         const MapOptions& options) {
  if (matrix.ranks() == 0) return 0;
  Ints leaves = leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up);
  leaves.resize(matrix.ranks());
  return tree.hop_bytes(matrix, leaves);
}

// Maps the ranks and checks what map_to_tree() guarantees: a legal mapping, its cost, and equal results on repetition.
inline MapResult mapped(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable,
                        const MapOptions& options) {
  const MapResult result = map_to_tree(matrix, tree, usable, options);
  ck_assert_int_eq(static_cast<std::int32_t>(result.leaf_of_rank.size()), matrix.ranks());
  ck_assert(legal(result, usable));
  ck_assert(result.cost == tree.hop_bytes(matrix, result.leaf_of_rank));
  ck_assert(result.cost <= natural_cost(matrix, tree, usable, options));
  ck_assert(map_to_tree(matrix, tree, usable, options).leaf_of_rank == result.leaf_of_rank);
  return result;
}

// Returns the matrix of a 27-point stencil on a cube, with shuffled ranks.
inline CommMatrix shuffled_stencil(std::int32_t side) {
  const std::int32_t n = side * side * side;
  Ints rank(n);
  std::iota(rank.begin(), rank.end(), 0);
  Random random(11);
  for (std::int32_t k = n - 1; k > 0; --k) std::swap(rank[k], rank[random.below(k + 1)]);
  std::vector<CommEdge> edges;
  for (std::int32_t v = 0; v < n; ++v)
    for (std::int32_t step = 14; step < 27; ++step) {
      const std::int32_t x = v % side + step % 3 - 1;
      const std::int32_t y = v / side % side + step / 3 % 3 - 1;
      const std::int32_t z = v / side / side + step / 9 - 1;
      if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
      edges.push_back({rank[v], rank[x + side * (y + side * z)], 1 + step});
    }
  return CommMatrix::from_edges(n, std::move(edges));
}

// Checks that the mapping is legal wherever the deadline interrupts the search.
inline void map_in_time(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable) {
  for (const LeafScope scope : {LeafScope::given, LeafScope::whole})
    for (const int us : {-1000, 0, 20, 300, 2000, 9000, 40000}) {
      const MapOptions options{.scope = scope, .deadline = Deadline::after(std::chrono::microseconds(us))};
      const MapResult result = map_to_tree(matrix, tree, usable, options);
      ck_assert_int_eq(static_cast<std::int32_t>(result.leaf_of_rank.size()), matrix.ranks());
      ck_assert(legal(result, usable));
      ck_assert(result.cost == tree.hop_bytes(matrix, result.leaf_of_rank));
      ck_assert(result.cost <= natural_cost(matrix, tree, usable, options));
    }
}

inline const CommMatrix figure2 =
    CommMatrix::from_edges(4, {{0, 1, 5}, {0, 2, 10}, {0, 3, 100}, {1, 2, 20}, {1, 3, 5}, {2, 3, 10}});

}  // namespace placement::treematch

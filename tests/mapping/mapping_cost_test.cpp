// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <numeric>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "common/util/random.hpp"
#include "mapping/leaf_tree.hpp"
#include "tests/check.hpp"

using namespace placement;

// The hop-bytes of random mappings on random trees are the sums over all pairs, and a LeafTree has the distances of the
// tree. Weights are equal, different, or so large that sums need 128 bits.
START_TEST(hop_bytes_are_the_sum_over_all_pairs) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t vertices = 2 + random.below(30);
    std::vector<std::int32_t> parent{-1}, level{0};
    for (std::int32_t v = 1; v < vertices; ++v) {
      parent.push_back(random.below(v));
      level.push_back(level[parent.back()] + 1);
    }
    std::vector<std::int64_t> distance;
    for (std::int32_t l = 0; l < *std::max_element(level.begin(), level.end()); ++l)
      distance.push_back((distance.empty() ? 1 : distance.back()) + random.below(4));
    const TreeTopology tree =
        random.below(2) == 0 ? TreeTopology::from_parents(parent) : TreeTopology::from_parents(parent, distance);
    std::vector<std::int32_t> leaf(tree.leaves());
    std::iota(leaf.begin(), leaf.end(), 0);
    for (std::int32_t k = tree.leaves() - 1; k > 0; --k) std::swap(leaf[k], leaf[random.below(k + 1)]);
    const std::int32_t ranks = 1 + random.below(tree.leaves());
    leaf.resize(ranks);
    const bool all = random.below(2) == 0;
    const std::int64_t heaviest = random.below(4) == 0 ? INT64_MAX / (ranks * ranks) : 1000;
    std::vector<CommEdge> edges;
    for (std::int32_t a = 0; a < ranks; ++a)
      for (std::int32_t b = a + 1; b < ranks; ++b)
        if (all || random.below(2) == 0) edges.push_back({a, b, all ? heaviest : heaviest - random.below(900)});
    const CommMatrix matrix = CommMatrix::from_edges(ranks, edges);
    ck_assert(!all || ranks < 2 || matrix.all_alike());
    Cost sum = 0;
    for (const CommEdge& edge : edges) sum += Cost{edge.weight} * tree.distance(leaf[edge.a], leaf[edge.b]);
    ck_assert(tree.hop_bytes(matrix, leaf) == sum);
    std::vector<std::int32_t> usable = leaf;
    std::sort(usable.begin(), usable.end());
    const mapping::LeafTree slots(tree, usable);
    for (std::int32_t a = 0; a < ranks; ++a)
      for (std::int32_t b = a + 1; b < ranks; ++b)
        ck_assert_int_eq(slots.distance(a, b), tree.distance(usable[a], usable[b]));
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("mapping_cost");
  TCase* all = tcase_create("all");
  tcase_add_test(all, hop_bytes_are_the_sum_over_all_pairs);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

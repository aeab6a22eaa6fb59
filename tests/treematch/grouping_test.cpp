// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/grouping.hpp"

#include <algorithm>
#include <numeric>

#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

using Ints = std::vector<std::int32_t>;

// [JA §3], Table I.
CommMatrix table1() {
  constexpr std::int64_t table[8][8] = {{0, 100, 19, 12, 19, 11, 2511, 223}, {100, 0, 12, 12, 25, 28, 223, 1412},
                                        {19, 12, 0, 223, 251, 1584, 17, 10}, {12, 12, 223, 0, 1995, 112, 17, 17},
                                        {19, 25, 251, 1995, 0, 158, 17, 12}, {11, 28, 1584, 112, 158, 0, 25, 19},
                                        {2511, 223, 17, 17, 17, 25, 0, 100}, {223, 1412, 10, 17, 12, 19, 100, 0}};
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 8; ++a)
    for (std::int32_t b = a + 1; b < 8; ++b) edges.push_back({a, b, table[a][b]});
  return CommMatrix::from_edges(8, edges);
}

std::int64_t weight_of(const mapping::Graph& graph, const Ints& partner) {
  std::int64_t weight = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    for (const mapping::Arc& arc : graph.arcs(v))
      if (partner[v] == arc.to) weight += arc.weight;
  return weight / 2;
}

// Returns the largest weight of any matching of the vertices from `v` on.
std::int64_t heaviest(const mapping::Graph& graph, std::int32_t v, std::vector<bool>& used) {
  if (v == graph.vertices()) return 0;
  if (used[v]) return heaviest(graph, v + 1, used);
  std::int64_t best = heaviest(graph, v + 1, used);
  for (const mapping::Arc& arc : graph.arcs(v)) {
    if (arc.to < v || used[arc.to]) continue;
    used[arc.to] = true;
    best = std::max(best, arc.weight + heaviest(graph, v + 1, used));
    used[arc.to] = false;
  }
  return best;
}

}  // namespace

START_TEST(published_order) {  // [JA §3]
  const mapping::Graph graph = mapping::scaled_graph(table1());
  ck_assert(grouped_order(graph, Ints{2, 2, 2}, Pairing::maximum_weight) == (Ints{0, 6, 1, 7, 2, 5, 3, 4}));
  ck_assert(grouped_order(graph, Ints{2, 4}, Pairing::maximum_weight) == (Ints{0, 6, 1, 7, 2, 5, 3, 4}));
  ck_assert(grouped_order(graph, Ints{2, 2, 2}, Pairing::assignment) == (Ints{0, 6, 1, 7, 2, 5, 3, 4}));
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2, 2});
  const Ints leaves{0, 1, 2, 3, 4, 5, 6, 7};
  const MapResult result = map_by_matching(table1(), tree, leaves, {});
  ck_assert(result.cost == 22196);
  ck_assert(result.leaf_of_rank == (Ints{0, 2, 4, 6, 7, 5, 1, 3}));
}
END_TEST

START_TEST(matchings_are_maximal) {
  Random random(17);
  for (int round = 0; round < 200; ++round) {
    const std::int32_t n = 2 + random.below(9);
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 2 * n; ++k) edges.push_back({random.below(n), random.below(n), 1 + random.below(40)});
    const mapping::Graph graph = mapping::scaled_graph(CommMatrix::from_edges(n, edges));
    std::vector<bool> used(n, false);
    const std::int64_t most = heaviest(graph, 0, used);
    const Ints exact = paired(graph, Pairing::maximum_weight);
    const Ints fast = paired(graph, Pairing::heaviest_first);
    const Ints assigned = paired(graph, Pairing::assignment);
    for (const Ints& partner : {exact, fast, assigned})
      for (std::int32_t v = 0; v < n; ++v)
        if (partner[v] >= 0) ck_assert_int_eq(partner[partner[v]], v);
    ck_assert_int_eq(weight_of(graph, exact), most);
    ck_assert_int_ge(2 * weight_of(graph, fast), most);
    // The assignment has at least twice the weight of a matching, and an odd cycle keeps at least a third of its own.
    ck_assert_int_ge(3 * weight_of(graph, assigned), 2 * most);
  }
}
END_TEST

START_TEST(any_arity_and_number) {
  Random random(23);
  for (int round = 0; round < 200; ++round) {
    const std::int32_t n = 1 + random.below(70);
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 3 * n; ++k) edges.push_back({random.below(n), random.below(n), 1 + random.below(40)});
    const mapping::Graph graph = mapping::scaled_graph(CommMatrix::from_edges(n, edges));
    const Ints arities{1 + random.below(4), 1 + random.below(9), 1 + random.below(7)};
    for (const Pairing pairing : {Pairing::heaviest_first, Pairing::maximum_weight, Pairing::assignment}) {
      Ints order = grouped_order(graph, arities, pairing);
      ck_assert(order == grouped_order(graph, arities, pairing));
      std::sort(order.begin(), order.end());
      ck_assert_int_eq(static_cast<std::int32_t>(order.size()), n);
      for (std::int32_t v = 0; v < n; ++v) ck_assert_int_eq(order[v], v);
    }
  }
}
END_TEST

START_TEST(triples_find_each_other) {
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < 6; ++k) {  // ranks k, k + 6 and k + 12 have much traffic with each other
    edges.push_back({k, k + 6, 10});
    edges.push_back({k + 6, k + 12, 9});
    edges.push_back({k, (k + 1) % 6, 1});
  }
  const TreeTopology tree = TreeTopology::balanced(Ints{6, 3});
  Ints leaves(18);
  std::iota(leaves.begin(), leaves.end(), 0);
  const MapResult result = map_by_matching(CommMatrix::from_edges(18, edges), tree, leaves, {});
  for (std::int32_t k = 0; k < 6; ++k) {
    ck_assert_int_eq(result.leaf_of_rank[k] / 3, result.leaf_of_rank[k + 6] / 3);
    ck_assert_int_eq(result.leaf_of_rank[k] / 3, result.leaf_of_rank[k + 12] / 3);
  }
  ck_assert_error_words(map_by_matching(table1(), tree, Ints{1, 2}, {}), "8 ranks 2");
}
END_TEST

START_TEST(natural_grids_become_bricks) {  // a grid of 4 x 4 x 4 ranks on a tree with the arities 2, 4, 8
  std::vector<CommEdge> edges;
  for (std::int32_t v = 0; v < 64; ++v) {
    if (v % 4 < 3) edges.push_back({v, v + 1, 100});
    if (v / 4 % 4 < 3) edges.push_back({v, v + 4, 100});
    if (v / 16 < 3) edges.push_back({v, v + 16, 100});
  }
  const CommMatrix matrix = CommMatrix::from_edges(64, edges);
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 4, 8});
  Ints leaves(64);
  std::iota(leaves.begin(), leaves.end(), 0);
  // There are 144 pairs. Bricks of 2 x 2 x 2 are joined by 48 pairs; 16 of them join the halves of the grid.
  ck_assert(map_by_matching(matrix, tree, leaves, {}, Pairing::heaviest_first).cost == 100 * 2 * (144 + 48 + 16));
}
END_TEST

int main() {
  Suite* suite = suite_create("grouping");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, published_order);
  tcase_add_test(all, matchings_are_maximal);
  tcase_add_test(all, any_arity_and_number);
  tcase_add_test(all, triples_find_each_other);
  tcase_add_test(all, natural_grids_become_bricks);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

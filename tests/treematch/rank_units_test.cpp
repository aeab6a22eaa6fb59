// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/rank_structure.hpp"

#include <algorithm>
#include <numeric>

#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "treematch/tree_map.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

using Ints = std::vector<std::int32_t>;

// Returns the traffic between nearest neighbours in a cube.
CommMatrix cube(std::int32_t side) {
  std::vector<CommEdge> edges;
  const std::int32_t plane = side * side;
  for (std::int32_t v = 0; v < side * plane; ++v) {
    if (v % side + 1 < side) edges.push_back({v, v + 1, 100});
    if (v / side % side + 1 < side) edges.push_back({v, v + side, 100});
    if (v / plane + 1 < side) edges.push_back({v, v + plane, 100});
  }
  return CommMatrix::from_edges(side * plane, std::move(edges));
}

// Returns the first counts[k] leaves of the k-th lowest subtree, for each k. A subtree has `size` leaves.
Ints free_leaves(const Ints& counts, std::int32_t size) {
  Ints leaves;
  for (std::size_t k = 0; k < counts.size(); ++k)
    for (std::int32_t leaf = 0; leaf < counts[k]; ++leaf) leaves.push_back(static_cast<std::int32_t>(k) * size + leaf);
  return leaves;
}

}  // namespace

START_TEST(places_are_whole_and_below_one_vertex) {
  const TreeTopology tree = TreeTopology::balanced(Ints{4, 6});
  ck_assert(places_of_units(tree, Ints{0, 1, 2, 4, 5, 7, 11, 12, 13, 14, 15, 16, 17, 20}, 3) == (Ints{0, 12, 15}));
  ck_assert(places_of_units(tree, Ints{0, 6, 12, 18}, 2).empty());
  ck_assert(places_of_units(tree, {}, 2).empty());
}
END_TEST

START_TEST(ranks_take_the_leaves_of_their_unit) {
  const RankUnits units{2, {0, 1, 0, 2, 1}, {}};
  ck_assert(leaves_of_ranks(units, Ints{1, 3, 4, 5, 8, 9, 10}, Ints{8, 1, 4}) == (Ints{8, 1, 9, 4, 3}));
}
END_TEST

START_TEST(a_cube_is_joined_to_cubes) {
  const CommMatrix matrix = cube(4);
  const mapping::WorkBudget watch;
  const auto units = joined_to_units(matrix, mapping::scaled_graph(matrix), 8, watch);
  ck_assert(units && units->size == 8);
  ck_assert_int_eq(units->traffic.ranks(), 8);
  ck_assert_int_eq(units->traffic.total_weight(), 12 * 400);  // each of the 12 pairs of cubes shares a face of 4 pairs
  Ints members(8, 0);
  for (const std::int32_t unit : units->unit_of) ++members[unit];
  ck_assert(members == Ints(8, 8));
}
END_TEST

START_TEST(random_pairs_are_not_joined) {
  Random random(4);
  std::vector<CommEdge> edges;
  for (int k = 0; k < 600; ++k) edges.push_back({random.below(100), random.below(100), 1 + random.below(1000)});
  std::erase_if(edges, [](const CommEdge& edge) { return edge.a == edge.b; });
  const CommMatrix matrix = CommMatrix::from_edges(100, std::move(edges));
  ck_assert(!joined_to_units(matrix, mapping::scaled_graph(matrix), 8, mapping::WorkBudget()));
}
END_TEST

// A bisection into the sizes 18, 18, 16 and 12 costs 35,800 and more. Four slices of 16 ranks cost 35,200.
START_TEST(subtrees_are_partly_used_if_whole_units_fit) {
  const CommMatrix matrix = cube(4);
  const TreeTopology tree = TreeTopology::balanced(Ints{14, 6, 18});
  Ints counts(14 * 6, 5);
  const Ints best{18, 12, 18, 18, 18, 7};
  std::copy(best.begin(), best.end(), counts.begin() + 12);
  const MapResult result = map_to_tree(matrix, tree, free_leaves(counts, 18), {});
  ck_assert_msg(result.cost <= 35200, "%s by %s", to_string(result.cost).c_str(), result.method.c_str());
}
END_TEST

int main() {
  Suite* suite = suite_create("rank_units");
  TCase* all = tcase_create("all");
  tcase_add_test(all, places_are_whole_and_below_one_vertex);
  tcase_add_test(all, ranks_take_the_leaves_of_their_unit);
  tcase_add_test(all, a_cube_is_joined_to_cubes);
  tcase_add_test(all, random_pairs_are_not_joined);
  tcase_add_test(all, subtrees_are_partly_used_if_whole_units_fit);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

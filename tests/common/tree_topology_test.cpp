// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/tree_topology.hpp"

#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;

namespace {

TreeTopology tree(std::initializer_list<std::int32_t> arities, std::initializer_list<std::int64_t> distances = {}) {
  const std::vector<std::int32_t> a(arities);
  const std::vector<std::int64_t> d(distances);
  return TreeTopology::balanced(a, d);
}

const CommMatrix figure =
    CommMatrix::from_edges(4, {{0, 1, 5}, {0, 2, 10}, {0, 3, 100}, {1, 2, 20}, {1, 3, 5}, {2, 3, 10}});

}  // namespace

START_TEST(hops_of_a_balanced_tree) {
  const TreeTopology t = tree({2, 2, 2});
  ck_assert_int_eq(t.leaves(), 8);
  ck_assert_int_eq(t.distance(0, 0), 0);
  ck_assert_int_eq(t.distance(0, 1), 2);
  ck_assert_int_eq(t.distance(0, 2), 4);
  ck_assert_int_eq(t.distance(0, 7), 6);
  ck_assert_int_eq(tree({2, 2, 2}, {1, 10, 100}).distance(0, 7), 100);
}
END_TEST

START_TEST(worked_figure_of_the_paper) {  // [TM §2]
  const TreeTopology t = tree({2, 2, 2});
  ck_assert(t.hop_bytes(figure, std::vector<std::int32_t>{0, 2, 3, 1}) == 360);
  ck_assert(t.hop_bytes(figure, std::vector<std::int32_t>{0, 4, 6, 2}) == 660);
}
END_TEST

START_TEST(unbalanced) {
  // The root has a leaf, and a switch with two leaves.
  const std::vector<std::int32_t> parent{-1, 0, 0, 2, 2};
  const TreeTopology t = TreeTopology::from_parents(parent);
  ck_assert_int_eq(t.leaves(), 3);
  ck_assert_int_eq(t.distance(0, 1), 3);
  ck_assert_int_eq(t.distance(1, 2), 2);
  ck_assert_int_eq(t.first_leaf(2), 1);
  ck_assert_int_eq(t.leaf_count(2), 2);
  const std::vector<std::int64_t> levels{5, 7};
  ck_assert_int_eq(TreeTopology::from_parents(parent, levels).distance(0, 2), 7);
  ck_assert_int_eq(TreeTopology::from_parents(parent, levels).distance(1, 2), 5);
}
END_TEST

START_TEST(refuses_parents_that_are_not_a_tree) {
  ck_assert_error(tree({2, 0}), "arity 0");
  ck_assert_error(tree({4096, 4096, 2}), "more than");
  ck_assert_error_words(tree({2, 2}, {1}), "1 distances 2 levels");
  ck_assert_error(tree({2, 2}, {4, 2}), "distance 2");
  ck_assert_error(TreeTopology::from_parents(std::vector<std::int32_t>{}), "root");
  ck_assert_error(TreeTopology::from_parents(std::vector<std::int32_t>{-1, 2, 0}), "vertex 1");
}
END_TEST

START_TEST(one_leaf_and_chains) {
  ck_assert_int_eq(tree({}).leaves(), 1);
  ck_assert_int_eq(tree({1, 1, 2}).distance(0, 1), 2);
  ck_assert_int_eq(tree({2, 1, 1}).distance(0, 1), 6);
}
END_TEST

START_TEST(cut_above_some_vertices) {
  const TreeTopology whole = tree({2, 3, 2});  // 0; 1 2; 3..8; leaves 9..20
  const TreeTopology nodes = whole.cut_at(std::vector<std::int32_t>{8, 3, 4, 20});
  ck_assert_int_eq(nodes.leaves(), 3);  // 20 lies below 8
  const TreeTopology mixed = whole.cut_at(std::vector<std::int32_t>{7, 3, 20, 9 + 2});
  ck_assert_int_eq(mixed.leaves(), 4);  // from left to right: 3, 11 below 4, 7, 20 below 8
  ck_assert_int_eq(mixed.vertices(), 9);
  ck_assert_int_eq(mixed.distance(0, 1), 3);
  ck_assert_int_eq(mixed.distance(0, 2), 4);
  ck_assert_int_eq(mixed.distance(1, 3), 6);
  ck_assert_int_eq(whole.cut_at(std::vector<std::int32_t>{0}).leaves(), 1);
  ck_assert_error(whole.cut_at(std::vector<std::int32_t>{}), "root");
}
END_TEST

START_TEST(heights_of_an_uneven_tree) {
  //      0
  //    1   2
  //   3 4
  //  5 6 7 below 3
  const TreeTopology t = TreeTopology::from_parents(std::vector<std::int32_t>{-1, 0, 0, 1, 1, 3, 3, 3});
  ck_assert_int_eq(t.height(0), 3);
  ck_assert_int_eq(t.height(1), 2);
  ck_assert_int_eq(t.height(2), 0);
  ck_assert_int_eq(t.height(3), 1);
  ck_assert_int_eq(t.least_height_of(1), 0);
  ck_assert_int_eq(t.least_height_of(3), 1);
  ck_assert_int_eq(t.least_height_of(4), 2);
  ck_assert_int_eq(t.least_height_of(5), 3);
}
END_TEST

int main() {
  Suite* suite = suite_create("tree_topology");
  TCase* all = tcase_create("all");
  tcase_add_test(all, hops_of_a_balanced_tree);
  tcase_add_test(all, worked_figure_of_the_paper);
  tcase_add_test(all, unbalanced);
  tcase_add_test(all, refuses_parents_that_are_not_a_tree);
  tcase_add_test(all, one_leaf_and_chains);
  tcase_add_test(all, cut_above_some_vertices);
  tcase_add_test(all, heights_of_an_uneven_tree);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

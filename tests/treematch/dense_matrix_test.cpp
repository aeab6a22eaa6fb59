// SPDX-License-Identifier: GPL-2.0-or-later
// Matrices with enough pairs that a sparsified matrix is searched first.
#include <algorithm>
#include <numeric>
#include <string>

#include "tests/check.hpp"
#include "treematch/tree_map.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

using Ints = std::vector<std::int32_t>;

// Every rank exchanges 1 with every other, and `heavy` more with the other ranks of its group. The ranks of a group are
// those with the same remainder, so that the natural order divides all groups.
CommMatrix groups(std::int32_t ranks, std::int32_t size, std::int64_t heavy) {
  const std::int32_t count = ranks / size;
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, 1 + (a % count == b % count ? heavy : 0)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// Every rank exchanges 1 with every other, and 500 more with the other ranks of its group of five; the ranks are
// renumbered.
CommMatrix groups_of_five(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b)
      edges.push_back({a * 271 % ranks, b * 271 % ranks, a / 5 == b / 5 ? 501 : 1});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

Ints first_leaves(std::int32_t count) {
  Ints leaves(count);
  std::iota(leaves.begin(), leaves.end(), 0);
  return leaves;
}

bool is_permutation_of(Ints leaves, const Ints& usable) {
  std::sort(leaves.begin(), leaves.end());
  return leaves == usable;
}

}  // namespace

START_TEST(groups_are_found) {
  const TreeTopology tree = TreeTopology::balanced(Ints{8, 10, 8});
  const CommMatrix matrix = groups(640, 8, 1000);
  ck_assert_int_gt(matrix.pairs(), 200'000);
  const Ints usable = first_leaves(640);
  MapOptions options;
  options.scope = LeafScope::whole;
  const MapResult result = map_to_tree(matrix, tree, usable, options);
  ck_assert(is_permutation_of(result.leaf_of_rank, usable));
  ck_assert_int_eq(result.cost, tree.hop_bytes(matrix, result.leaf_of_rank));
  for (std::int32_t rank = 0; rank < 640; ++rank)
    ck_assert_int_eq(result.leaf_of_rank[rank] / 8, result.leaf_of_rank[rank % 80] / 8);
  ck_assert(map_to_tree(matrix, tree, usable, options).leaf_of_rank == result.leaf_of_rank);
}
END_TEST

// The light pairs hide the groups from the search of all pairs; the sparsified matrix shows them.
START_TEST(the_better_of_both_is_kept) {
  const TreeTopology tree = TreeTopology::balanced(Ints{8, 10, 16});
  const CommMatrix matrix = groups_of_five(640);
  const MapResult result = map_to_tree(matrix, tree, first_leaves(1280), {});
  ck_assert_int_eq(result.cost, tree.hop_bytes(matrix, result.leaf_of_rank));
  ck_assert_int_lt(100 * result.cost, 55 * tree.hop_bytes(matrix, first_leaves(640)));
  ck_assert_msg(result.method.ends_with(" sparsified matrix"), "found by %s", result.method.c_str());
}
END_TEST

START_TEST(all_to_all_is_not_sparsified) {
  const TreeTopology tree = TreeTopology::balanced(Ints{8, 10, 8});
  const CommMatrix matrix = groups(640, 8, 0);
  const MapResult result = map_to_tree(matrix, tree, first_leaves(640), {});
  ck_assert_int_eq(result.cost, tree.hop_bytes(matrix, first_leaves(640)));
  ck_assert(result.method.find("sparsified") == std::string::npos);
}
END_TEST

START_TEST(no_time_gives_the_natural_order) {
  const TreeTopology tree = TreeTopology::balanced(Ints{8, 10, 8});
  MapOptions options;
  options.deadline = Deadline::after(std::chrono::microseconds(0));
  const CommMatrix matrix = groups(640, 8, 1000);
  const MapResult result = map_to_tree(matrix, tree, first_leaves(640), options);
  ck_assert(result.leaf_of_rank == first_leaves(640));
  ck_assert_int_eq(result.cost, tree.hop_bytes(matrix, first_leaves(640)));
}
END_TEST

int main() {
  Suite* suite = suite_create("dense matrix");
  TCase* all = tcase_create("all");
  tcase_add_test(all, groups_are_found);
  tcase_add_test(all, the_better_of_both_is_kept);
  tcase_add_test(all, all_to_all_is_not_sparsified);
  tcase_add_test(all, no_time_gives_the_natural_order);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

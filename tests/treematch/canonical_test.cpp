// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/canonical.hpp"

#include <algorithm>
#include <random>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

TreeTopology balanced(const std::vector<std::int32_t>& arities) { return TreeTopology::balanced(arities); }

std::vector<std::int32_t> ordered(const TreeTopology& tree, std::vector<std::int32_t> leaf_of_rank) {
  order_equal_branches(tree, leaf_of_rank);
  return leaf_of_rank;
}

}  // namespace

START_TEST(least_ranks_are_leftmost) {
  const TreeTopology tree = balanced({2, 2, 2});
  ck_assert(ordered(tree, {7, 3, 6, 2}) == std::vector<std::int32_t>({2, 6, 3, 7}));
  ck_assert(ordered(tree, {7}) == std::vector<std::int32_t>({7}));
}
END_TEST

START_TEST(unequal_branches_stay) {
  // Two leaves below one switch are used, and one below the other switch.
  const TreeTopology tree = balanced({2, 2});
  ck_assert(ordered(tree, {2, 1, 0}) == std::vector<std::int32_t>({2, 0, 1}));
}
END_TEST

START_TEST(edges_of_other_length_stay) {
  const std::vector<std::int32_t> parent{-1, 0, 0, 2};  // one leaf is one link below the root, the other two links
  const TreeTopology tree = TreeTopology::from_parents(parent);
  ck_assert(ordered(tree, {1, 0}) == std::vector<std::int32_t>({1, 0}));
}
END_TEST

START_TEST(costs_nothing_and_has_one_form) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const TreeTopology tree = balanced({2, 3, 2, 2});
    std::vector<std::int32_t> leaves(tree.leaves());
    for (std::int32_t k = 0; k < tree.leaves(); ++k) leaves[k] = k;
    for (std::size_t k = leaves.size(); k > 1; --k) std::swap(leaves[k - 1], leaves[random() % k]);
    const auto ranks = static_cast<std::int32_t>(1 + random() % leaves.size());
    leaves.resize(ranks);
    std::vector<CommEdge> edges;
    for (int e = 0; e < 3 * ranks; ++e)
      edges.push_back({static_cast<std::int32_t>(random() % ranks), static_cast<std::int32_t>(random() % ranks),
                       1 + static_cast<std::int64_t>(random() % 9)});
    const CommMatrix matrix = CommMatrix::from_edges(ranks, edges);
    const std::vector<std::int32_t> after = ordered(tree, leaves);
    ck_assert(tree.hop_bytes(matrix, after) == tree.hop_bytes(matrix, leaves));
    ck_assert(ordered(tree, after) == after);
    std::vector<std::int32_t> a(leaves), b(after);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    ck_assert(a == b);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("canonical");
  TCase* all = tcase_create("all");
  tcase_add_test(all, least_ranks_are_leftmost);
  tcase_add_test(all, unequal_branches_stay);
  tcase_add_test(all, edges_of_other_length_stay);
  tcase_add_test(all, costs_nothing_and_has_one_form);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

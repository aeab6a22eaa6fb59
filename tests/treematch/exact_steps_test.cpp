// SPDX-License-Identifier: GPL-2.0-or-later
// The exact search counts its steps and the size of its tables beforehand, and is not begun when they are too many.
#include <algorithm>

#include "common/util/random.hpp"
#include "mapping/work_budget.hpp"
#include "tests/check.hpp"
#include "tests/treematch/tree_map_fixture.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/subtree_classes.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

CommMatrix dense_matrix(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = 0; b < a; ++b) edges.push_back({b, a, 1 + (a * b + 3 * a) % 7});
  return CommMatrix::from_edges(ranks, edges);
}

// Returns the tree of a list of nodes behind one switch, of so many leaves each.
TreeTopology nodes_of(const Ints& leaves) {
  Ints parent{-1};
  for (const std::int32_t count : leaves) {
    const auto node = static_cast<std::int32_t>(parent.size());
    parent.push_back(0);
    parent.insert(parent.end(), static_cast<std::size_t>(count), node);
  }
  return TreeTopology::from_parents(parent);
}

// Returns limits for the children of the root.
MappingLimits limits_on_nodes(const TreeTopology& tree, std::int32_t least, std::int32_t most) {
  MappingLimits limits;
  limits.least_nodes = least;
  limits.most_nodes = most;
  for (const std::int32_t node : tree.children(0)) limits.nodes.push_back({node, tree.leaf_count(node), false});
  return limits;
}

struct Steps {
  std::int64_t counted = 0;  // the least limit with which the search is begun
  std::int64_t taken = 0;    // what the search reports as done
};

Steps steps_of(std::int32_t ranks, const TreeTopology& tree, const MappingLimits& limits) {
  const CommMatrix matrix = dense_matrix(ranks);
  const Ints all = all_leaves(tree);
  const auto begun = [&](std::int64_t work) {
    const mapping::WorkBudget watch;
    return exact_mapping(matrix, tree, all, LeafScope::whole, 0, limits, work, watch).has_value();
  };
  std::int64_t refused = 0, accepted = 40'000'000;
  ck_assert(begun(accepted));
  while (accepted - refused > accepted / 1000 + 1) {
    const std::int64_t middle = refused + (accepted - refused) / 2;
    (begun(middle) ? accepted : refused) = middle;
  }
  const mapping::WorkBudget watch;
  ck_assert(exact_mapping(matrix, tree, all, LeafScope::whole, 0, limits, accepted, watch).has_value());
  return {accepted, watch.spent()};
}

}  // namespace

// The steps are estimated before the search. On no tree are they fewer than on one switch that just holds the ranks.
START_TEST(the_cheapest_trees_are_searched) {
  const mapping::WorkBudget watch;
  for (std::int32_t ranks = 8; ranks <= 16; ++ranks) {  // as many as doc/mapping.md says
    const CommMatrix matrix = dense_matrix(ranks);
    // Joining one more leaf takes 2^ranks steps, because the least rank of a set lies there, and so does the table.
    // Both are done once more when the ranks are placed.
    const std::int64_t enough = std::int64_t{2 * ranks} << ranks;
    const Ints arities{ranks};
    const TreeTopology tree = TreeTopology::balanced(arities);
    const Ints all = all_leaves(tree);
    ck_assert(exact_mapping(matrix, tree, all, LeafScope::whole, 0, {}, enough, watch).has_value());
    ck_assert(!exact_mapping(matrix, tree, all, LeafScope::whole, 0, {}, enough - 1, watch));
  }
}
END_TEST

START_TEST(thirteen_ranks_on_a_small_machine) {
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 2, 5});
  const Ints all = all_leaves(tree);
  const CommMatrix matrix = dense_matrix(13);
  ck_assert(map_to_tree(matrix, tree, all, {.scope = LeafScope::whole}).optimal);
  ck_assert(!map_to_tree(matrix, tree, all, {.scope = LeafScope::whole, .effort = 1}).optimal);
}
END_TEST

START_TEST(what_is_too_much_is_left_alone) {
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 3, 2});
  const CommMatrix matrix = dense_matrix(12);
  const Ints all = all_leaves(tree);
  const mapping::WorkBudget watch;
  ck_assert(!exact_mapping(matrix, tree, all, LeafScope::whole, 0, {}, 1000, watch));
  ck_assert(!exact_mapping(matrix, tree, all, LeafScope::whole, 0, {}, 5000, watch));
  ck_assert(exact_mapping(matrix, tree, all, LeafScope::whole, 0, {}, 100'000'000, watch).has_value());
  ck_assert(
      !exact_mapping(CommMatrix::from_edges(17, {{0, 1, 1}}), tree, all, LeafScope::whole, 0, {}, INT64_MAX, watch));
  const CommMatrix huge = CommMatrix::from_edges(2, {{0, 1, INT64_MAX}});
  ck_assert(map_to_tree(huge, tree, Ints{0, 2, 3}, {.scope = LeafScope::whole}).cost == Cost{INT64_MAX} * 2);
}
END_TEST

// What takes longer than was counted would use up the time of slurmctld.
START_TEST(no_more_steps_are_taken_than_were_counted) {
  const std::vector<Ints> machines{{10}, {5, 5, 5}, {2, 2, 2, 2, 2, 2, 2}, {1, 2, 3, 4, 5}, {1, 1, 2, 2, 3, 3, 12}};
  for (const Ints& machine : machines) {
    const TreeTopology tree = nodes_of(machine);
    for (const std::int32_t ranks : {7, 10}) {
      const Steps any = steps_of(ranks, tree, {});
      ck_assert_msg(any.taken <= any.counted && any.counted < 3 * any.taken, "%d ranks: %lld counted, %lld taken",
                    ranks, static_cast<long long>(any.counted), static_cast<long long>(any.taken));
      if (machine.size() < 3) continue;
      const Steps range = steps_of(ranks, tree, limits_on_nodes(tree, 2, 6));
      ck_assert_msg(range.taken <= range.counted, "%d ranks on 2 to 6 nodes: %lld counted, %lld taken", ranks,
                    static_cast<long long>(range.counted), static_cast<long long>(range.taken));
    }
  }
}
END_TEST

START_TEST(tables_have_at_most_32_megabytes) {
  const TreeTopology tree = nodes_of(Ints(40, 2));
  const mapping::WorkBudget watch;
  const auto begun = [&](std::int32_t ranks) {
    const MappingLimits limits = limits_on_nodes(tree, 2, ranks);
    return exact_mapping(dense_matrix(ranks), tree, all_leaves(tree), LeafScope::whole, 0, limits, INT64_MAX, watch)
        .has_value();
  };
  ck_assert(begun(11));   // 3 MB
  ck_assert(!begun(14));  // 33 MB
}
END_TEST

// Each of these switches has nodes of its own shapes, so that few can stand for others. To compare all of hundreds
// would take tens of milliseconds.
START_TEST(subtrees_of_many_shapes_are_not_compared_for_long) {
  Random random(7);
  Ints parent{-1};
  const auto add = [&](std::int32_t above) {
    parent.push_back(above);
    return static_cast<std::int32_t>(parent.size()) - 1;
  };
  for (std::int32_t s = 0; s < 400; ++s) {
    const std::int32_t leaf_switch = add(0);
    for (std::int32_t n = 0; n < 8; ++n) {
      const std::int32_t node = add(leaf_switch);
      for (std::int32_t k = 0; k < 2; ++k) {
        const std::int32_t socket = add(node);
        parent.insert(parent.end(), static_cast<std::size_t>(1 + random.below(8)), socket);
      }
    }
  }
  const TreeTopology tree = TreeTopology::from_parents(parent);
  const SubtreeClasses classes(tree, all_leaves(tree), 10, {});
  std::int32_t kept = 0;
  for (const SubtreeClass::Run& run : classes.classes()[classes.of(0)].children) kept += run.count;
  ck_assert_int_gt(kept, 390);  // after so many comparisons the rest is kept, though 15 could be left out
}
END_TEST

int main() {
  Suite* suite = suite_create("exact_steps");
  TCase* all = tcase_create("all");
  tcase_add_test(all, the_cheapest_trees_are_searched);
  tcase_add_test(all, thirteen_ranks_on_a_small_machine);
  tcase_add_test(all, what_is_too_much_is_left_alone);
  tcase_add_test(all, no_more_steps_are_taken_than_were_counted);
  tcase_add_test(all, tables_have_at_most_32_megabytes);
  tcase_add_test(all, subtrees_of_many_shapes_are_not_compared_for_long);
  tcase_set_timeout(all, 60);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the hop-bytes on trees with a wider and a narrower scope, and with more and less effort.
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/util/random.hpp"
#include "treematch/leaf_choice.hpp"
#include "tests/check.hpp"
#include "tests/treematch/tree_map_fixture.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

// Returns a matrix by kind: 0, stages of a pipeline with all-to-all inside each stage; 1, a halo exchange on a plane;
// 2, random pairs together with neighbours in a chain.
CommMatrix random_traffic(std::int32_t ranks, int kind, Random& random) {
  std::vector<CommEdge> edges;
  const std::int32_t width = 3 + random.below(8);
  for (std::int32_t r = 0; r + 1 < ranks; ++r) {
    if (kind == 2) edges.push_back({r, random.below(ranks), 1 + random.below(1000)});
    if (kind == 2 || r % width != width - 1) edges.push_back({r, r + 1, 100});
    if (r + width < ranks) edges.push_back({r, r + width, kind == 0 ? 200 : 100});
    for (std::int32_t other = r + 2; kind == 0 && other < ranks && other / width == r / width; ++other)
      edges.push_back({r, other, 100});
  }
  std::erase_if(edges, [](const CommEdge& edge) { return edge.a == edge.b; });
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// Returns the leaves that remain when about half of all leaves are taken, in runs at random places.
Ints fragmented(const TreeTopology& tree, Random& random) {
  std::vector<bool> taken(tree.leaves(), false);
  const std::int32_t longest = 2 + random.below(10);
  for (std::int32_t left = tree.leaves() / 2; left > 0;) {
    const std::int32_t begin = random.below(tree.leaves());
    const std::int32_t end = std::min(tree.leaves(), begin + 1 + random.below(longest));
    for (std::int32_t leaf = begin; leaf < end; ++leaf, --left) taken[leaf] = true;
  }
  Ints usable;
  for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
    if (!taken[leaf]) usable.push_back(leaf);
  return usable;
}

// Returns the vertices of the least height that have enough usable leaves below them.
Ints lowest_sufficient(const TreeTopology& tree, const Ints& usable, std::int32_t ranks) {
  for (std::int32_t height = 0;; ++height)
    if (Ints found = subtrees_with_enough(tree, usable, ranks, height); !found.empty()) return found;
}

}  // namespace

START_TEST(a_wider_scope_never_costs_more) {
  Random random(41);
  for (int round = 0; round < instances(30); ++round) {
    const TreeTopology tree = TreeTopology::balanced(
        Ints{2 + random.below(3), 2 + random.below(3), 2 + random.below(4), 4 + random.below(12)});
    Ints usable;
    for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
      if (random.below(5) < 3) usable.push_back(leaf);
    const auto free = static_cast<std::int32_t>(usable.size());
    const std::int32_t ranks = std::min(free, 17 + random.below(round % 10 == 0 ? 400 : 60));
    std::vector<CommEdge> edges;
    for (std::int32_t r = 0; r < ranks; ++r) {
      edges.push_back({r, (r + 1) % ranks, 1 + random.below(20)});
      if (round % 3 != 0) edges.push_back({r, random.below(ranks), 1 + random.below(20)});
    }
    const CommMatrix matrix = CommMatrix::from_edges(ranks, std::move(edges));
    const Cost whole = mapped(matrix, tree, usable, {.scope = LeafScope::whole}).cost;
    Cost narrower = matrix.total_weight() * Cost{100};
    for (std::int32_t up = 0; up < 5; ++up) {
      const Cost cost = mapped(matrix, tree, usable, {.scope = LeafScope::subtree, .levels_up = up}).cost;
      ck_assert(cost <= narrower && whole <= cost);
      narrower = cost;
    }
    ck_assert(whole == narrower);
  }
}
END_TEST

// With up to 16 ranks, the narrower scope is sometimes solved exactly while the wider one takes too many steps.
START_TEST(a_wider_scope_never_costs_more_than_the_optimum_of_a_narrower_one) {
  Random random(16);
  for (int round = 0; round < instances(60); ++round) {
    const TreeTopology tree =
        TreeTopology::balanced(Ints{3 + random.below(4), 3 + random.below(4), 5 + random.below(8)});
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks = std::min(9 + random.below(8), static_cast<std::int32_t>(usable.size()));
    const CommMatrix matrix = random_traffic(ranks, 2, random);
    Cost narrower = matrix.total_weight() * Cost{100};
    for (const auto& [scope, up] :
         {std::pair{LeafScope::subtree, 0}, {LeafScope::subtree, 1}, {LeafScope::subtree, 2}, {LeafScope::whole, 0}}) {
      const MapResult result = mapped(matrix, tree, usable, {.scope = scope, .levels_up = up, .effort = 1 + round % 3});
      ck_assert_msg(result.cost <= narrower, "round %d, %d ranks, %d levels up: %s and not %s", round, ranks, up,
                    to_string(result.cost).c_str(), to_string(narrower).c_str());
      narrower = result.cost;
    }
  }
}
END_TEST

// A mapping costs no more than that below any one sufficient subtree that is offered alone.
START_TEST(never_behind_a_subtree_alone_with_the_usual_effort) {
  Random random(31);
  int compared = 0;
  for (int round = 0; round < instances(90); ++round) {
    const TreeTopology tree =
        round % 10 == 9 ? TreeTopology::balanced(Ints{14, 20, 18})
                        : TreeTopology::balanced(Ints{3 + random.below(8), 4 + random.below(7), 10 + random.below(40)});
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks =
        std::min(17 + random.below(round % 4 == 0 ? 496 : 112), static_cast<std::int32_t>(usable.size()));
    const CommMatrix matrix = random_traffic(ranks, round % 3, random);
    const LeafScope scope = round % 2 == 0 ? LeafScope::subtree : LeafScope::whole;
    const Cost cost = mapped(matrix, tree, usable, {.scope = scope}).cost;
    for (const std::int32_t top : lowest_sufficient(tree, usable, ranks)) {
      const Cost alone = map_to_tree(matrix, tree, leaves_below(tree, usable, top), {.scope = scope}).cost;
      ck_assert_msg(cost <= alone, "round %d, %d ranks: %s below all, %s below vertex %d", round, ranks,
                    to_string(cost).c_str(), to_string(alone).c_str(), top);
      ++compared;
    }
  }
  ck_assert_int_gt(compared, instances(300));
}
END_TEST

// Returns the traffic of groups whose ranks all talk with each other, with a few light pairs between the groups.
CommMatrix cliques(std::int32_t ranks, Random& random) {
  std::vector<CommEdge> edges;
  const std::int32_t size = 3 + random.below(9);
  for (std::int32_t r = 0; r < ranks; ++r) {
    for (std::int32_t other = r - r % size; other < r; ++other) edges.push_back({other, r, 50 + random.below(51)});
    if (const std::int32_t other = random.below(ranks); other != r) edges.push_back({r, other, 1});
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// Up to 32 ranks no subtree is left out by an estimate: traffic in groups, on switches that each have another number
// of free cores.
START_TEST(few_ranks_are_tried_on_each_subtree) {
  Random random(7);
  int compared = 0;
  for (int round = 0; round < instances(400); ++round) {
    const Ints arity{3 + random.below(10), 3 + random.below(6), 6 + random.below(11)};
    const TreeTopology tree = TreeTopology::balanced(arity);
    Ints usable;
    for (std::int32_t first = 0; first < tree.leaves(); first += arity[2]) {
      const std::int32_t free = random.below(arity[2] + 1);
      for (std::int32_t k = 0; k < free; ++k) usable.push_back(first + k);
    }
    const std::int32_t ranks = 17 + random.below(16);
    if (static_cast<std::int32_t>(usable.size()) < ranks) continue;
    const CommMatrix matrix = cliques(ranks, random);
    const Cost cost = mapped(matrix, tree, usable, {.scope = LeafScope::whole}).cost;
    for (const std::int32_t top : lowest_sufficient(tree, usable, ranks)) {
      const Cost alone = map_to_tree(matrix, tree, leaves_below(tree, usable, top), {.scope = LeafScope::whole}).cost;
      ck_assert_msg(cost <= alone, "round %d, %d ranks: %s on all, %s below vertex %d", round, ranks,
                    to_string(cost).c_str(), to_string(alone).c_str(), top);
      ++compared;
    }
  }
  ck_assert_int_gt(compared, instances(400));
}
END_TEST

// Returns the leaves of the fullest leaf switches, as many switches as the ranks need.
Ints fullest_switches(const TreeTopology& tree, const Ints& usable, std::int32_t ranks) {
  const auto switch_of = [&](std::int32_t leaf) { return tree.parent(tree.leaf_vertex(leaf)); };
  Ints all;
  std::int32_t before = -1;
  for (const std::int32_t leaf : fullest_subtrees(tree, usable, ranks, 1)) {
    if (switch_of(leaf) == before) continue;
    before = switch_of(leaf);
    const Ints below = leaves_below(tree, usable, before);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

// Up to 256 ranks, where the job fits below no single switch, the fullest leaf switches are tried as if offered alone.
START_TEST(never_behind_the_fullest_switches_alone) {
  Random random(37);
  int compared = 0;
  for (int round = 0; round < instances(60); ++round) {
    const TreeTopology tree = round % 3 == 0 ? TreeTopology::balanced(Ints{14, 20, 18})
                                             : TreeTopology::balanced(Ints{3 + random.below(8), 10 + random.below(40)});
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks = std::min(17 + random.below(112), static_cast<std::int32_t>(usable.size()));
    if (tree.height(lowest_sufficient(tree, usable, ranks).front()) != 2) continue;
    const CommMatrix matrix = random_traffic(ranks, round % 3, random);
    const Cost cost = mapped(matrix, tree, usable, {.scope = LeafScope::whole}).cost;
    const Cost alone =
        map_to_tree(matrix, tree, fullest_switches(tree, usable, ranks), {.scope = LeafScope::whole}).cost;
    ck_assert_msg(cost <= alone, "round %d, %d ranks: %s on all, %s on the fullest", round, ranks,
                  to_string(cost).c_str(), to_string(alone).c_str());
    ++compared;
  }
  ck_assert_int_gt(compared, instances(30));
}
END_TEST

// Groups of ranks that exchange all to all, and light random pairs.
CommMatrix groups_with_noise(std::int32_t ranks, std::int32_t size, Random& random) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) {
    for (std::int32_t other = r + 1; other < std::min(ranks, (r / size + 1) * size); ++other)
      edges.push_back({r, other, 100});
    if (const std::int32_t far = random.below(ranks); far != r) edges.push_back({r, far, 5});
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// Up to 512 ranks in groups cost no more than on the fullest leaf switches alone, also where higher subtrees suffice.
START_TEST(groups_are_never_behind_the_fullest_switches_alone) {
  Random random(43);
  const TreeTopology tree = TreeTopology::balanced(Ints{14, 20, 18});
  for (int round = 0; round < instances(30); ++round) {
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks = 120 + random.below(393);
    const CommMatrix matrix = groups_with_noise(ranks, 8 + random.below(10), random);
    const Cost cost = map_to_tree(matrix, tree, usable, {.scope = LeafScope::whole}).cost;
    const Cost alone =
        map_to_tree(matrix, tree, fullest_switches(tree, usable, ranks), {.scope = LeafScope::whole}).cost;
    ck_assert_msg(cost <= alone, "round %d, %d ranks: %s on all, %s on the fullest", round, ranks,
                  to_string(cost).c_str(), to_string(alone).c_str());
  }
}
END_TEST

// Three groups nearly fit on two leaf switches. With a third switch, each group has a switch to itself.
START_TEST(groups_take_a_switch_each) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 3, 18});
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 36; ++a)
    for (std::int32_t b = a + 1; b < 36; ++b)
      if (a / 12 == b / 12) edges.push_back({a, b, 10});
  const MapResult result = mapped(CommMatrix::from_edges(36, edges), tree, all_leaves(tree), {});
  ck_assert(result.cost == 3 * 66 * 10 * 2);
}
END_TEST

START_TEST(an_effort_costs_no_more_than_smaller_efforts) {
  Random random(3);
  for (int round = 0; round < instances(12); ++round) {
    const TreeTopology tree =
        TreeTopology::balanced(Ints{2 + random.below(3), 3 + random.below(4), 6 + random.below(10)});
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks = std::min(20 + random.below(50), static_cast<std::int32_t>(usable.size()));
    const CommMatrix matrix = random_traffic(ranks, round % 3, random);
    const auto cost_with = [&](std::int32_t effort) {
      return map_to_tree(matrix, tree, usable, {.scope = LeafScope::whole, .effort = effort}).cost;
    };
    const Cost usual = cost_with(10);
    const Cost more = cost_with(40);
    ck_assert_msg(cost_with(25) <= usual && more <= usual && cost_with(90) <= more, "round %d", round);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("tree_map_scope");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, a_wider_scope_never_costs_more);
  tcase_add_test(all, a_wider_scope_never_costs_more_than_the_optimum_of_a_narrower_one);
  tcase_add_test(all, never_behind_a_subtree_alone_with_the_usual_effort);
  tcase_add_test(all, few_ranks_are_tried_on_each_subtree);
  tcase_add_test(all, never_behind_the_fullest_switches_alone);
  tcase_add_test(all, groups_are_never_behind_the_fullest_switches_alone);
  tcase_add_test(all, groups_take_a_switch_each);
  tcase_add_test(all, an_effort_costs_no_more_than_smaller_efforts);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

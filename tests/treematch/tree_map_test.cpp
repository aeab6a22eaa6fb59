// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/util/random.hpp"
#include "mapping/swap_search.hpp"
#include "treematch/annealing.hpp"
#include "treematch/leaf_choice.hpp"
#include "tests/check.hpp"
#include "tests/treematch/tree_map_fixture.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::treematch;

START_TEST(worked_figure) {  // [TM §2]
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2, 2});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const LeafScope scope : {LeafScope::whole, LeafScope::subtree}) {
      ck_assert(mapped(figure2, tree, all_leaves(tree), {.seed = seed, .scope = scope}).cost == 360);
      ck_assert(mapped(figure2, tree, {0, 2, 4, 6}, {.seed = seed, .scope = scope}).cost == 660);
    }
  }
}
END_TEST

START_TEST(motivating_example) {  // [TM §3]: nodes have two cores each, and n3 is busy
  const TreeTopology tree =
      TreeTopology::from_parents(Ints{-1, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8});
  const CommMatrix matrix = CommMatrix::from_edges(8, {{0, 1, 1 << 20},
                                                       {2, 3, 1 << 20},
                                                       {4, 5, 1 << 20},
                                                       {6, 7, 1 << 20},
                                                       {0, 2, 20},
                                                       {0, 6, 2000},
                                                       {2, 4, 1000},
                                                       {4, 6, 10}});
  const Ints usable{0, 1, 2, 3, 4, 5, 8, 9, 10, 11};
  const MapResult result = mapped(matrix, tree, usable, {.scope = LeafScope::whole});
  const auto node = [&](std::int32_t rank) { return result.leaf_of_rank[rank] / 2; };
  for (std::int32_t rank = 0; rank < 8; rank += 2) ck_assert_int_eq(node(rank), node(rank + 1));
  ck_assert_int_eq(node(0) < 4, node(6) < 4);  // A and D are below one switch
  ck_assert_int_eq(node(2) < 4, node(4) < 4);  // B and C are below one switch
  ck_assert_int_ne(node(0) < 4, node(2) < 4);
}
END_TEST

START_TEST(no_ranks_and_one_rank) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2});
  ck_assert(map_to_tree(CommMatrix{}, tree, Ints{}, {}).leaf_of_rank.empty());
  ck_assert(mapped(CommMatrix::from_edges(1, {}), tree, {3}, {}).leaf_of_rank == Ints{3});
  ck_assert(mapped(CommMatrix::from_edges(3, {}), tree, {0, 2, 3}, {}).cost == 0);
  const TreeTopology one = TreeTopology::balanced(Ints{});
  ck_assert(mapped(CommMatrix::from_edges(1, {}), one, {0}, {}).leaf_of_rank == Ints{0});
}
END_TEST

START_TEST(refuses_impossible_input) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2});
  const CommMatrix two = CommMatrix::from_edges(2, {{0, 1, 1}});
  ck_assert_error(map_to_tree(two, tree, Ints{}, {}), "no leaf");
  ck_assert_error_words(map_to_tree(two, tree, Ints{1}, {}), "2 ranks 1");
  ck_assert_error_words(map_to_tree(two, tree, Ints{1, 1}, {}), "leaf 1 twice");
  ck_assert_error(map_to_tree(two, tree, Ints{2, 1}, {}), "ascend");
  ck_assert_error_words(map_to_tree(two, tree, Ints{1, 4}, {}), "leaf 4 0..3");
  ck_assert_error_words(map_to_tree(two, tree, Ints{-1, 2}, {}), "leaf -1 0..3");
}
END_TEST

START_TEST(scopes) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2, 2});
  const CommMatrix two = CommMatrix::from_edges(2, {{0, 1, 1}});
  const Ints usable{1, 3, 5, 6, 7};
  const auto at = [&](LeafScope scope, std::int32_t up) {
    return mapped(two, tree, usable, {.scope = scope, .levels_up = up});
  };
  ck_assert(at(LeafScope::given, 0).cost == 4);
  ck_assert(at(LeafScope::subtree, 0).cost == 2);  // leaves 6 and 7
  ck_assert(at(LeafScope::subtree, 9).cost == 2);
  ck_assert(at(LeafScope::whole, 0).cost == 2);
}
END_TEST

START_TEST(arity_one_and_disconnected) {
  const TreeTopology tree = TreeTopology::balanced(Ints{1, 3, 1, 2, 1});
  const CommMatrix pairs = CommMatrix::from_edges(6, {{0, 5, 7}, {1, 4, 7}, {2, 3, 7}});
  ck_assert(mapped(pairs, tree, all_leaves(tree), {}).cost == 3 * 7 * 4);
}
END_TEST

START_TEST(weights_near_the_limit) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2, 2});
  const std::int64_t big = INT64_MAX / 4;
  const CommMatrix matrix =
      CommMatrix::from_edges(8, {{0, 7, big}, {1, 6, big}, {2, 5, big}, {3, 4, big - 1}, {0, 1, 1}});
  const MapResult result = mapped(matrix, tree, all_leaves(tree), {});
  ck_assert(result.cost == 2 * (static_cast<Cost>(big) * 4 - 1) + 4);
}
END_TEST

START_TEST(a_million_leaves) {
  const TreeTopology tree = TreeTopology::balanced(Ints{10, 10, 20, 20, 25});
  Ints usable;
  for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
    if (leaf % 25 < 16 || leaf >= 900000) usable.push_back(leaf);
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < 49; ++k) edges.push_back({k * 17 % 50, (k + 1) * 17 % 50, 2});
  const CommMatrix chain = CommMatrix::from_edges(50, edges);
  // The ranks need four groups of leaves, of 16 leaves each. Three pairs of the chain are between these groups.
  ck_assert(mapped(chain, tree, usable, {.scope = LeafScope::whole}).cost <= 2 * (46 * 2 + 3 * 4));
}
END_TEST

START_TEST(all_to_all_needs_close_leaves_only) {
  const TreeTopology tree = TreeTopology::balanced(Ints{4, 3, 4});
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 12; ++a)
    for (std::int32_t b = a + 1; b < 12; ++b) edges.push_back({a, b, 5});
  const CommMatrix matrix = CommMatrix::from_edges(12, edges);
  Ints usable = all_leaves(tree);
  usable.erase(usable.begin() + 1, usable.begin() + 23);  // leaves 0, 23 and two whole branches remain
  // The ranks take three full groups of four below one vertex: 18 pairs are 2 hops apart, 48 pairs are 4 hops apart.
  ck_assert(mapped(matrix, tree, usable, {.scope = LeafScope::whole}).cost == 5 * (18 * 2 + 48 * 4));
}
END_TEST

START_TEST(random_small_cases) {
  Random random(7);
  Cost total = 0;
  Cost least = 0;
  for (int round = 0; round < instances(300); ++round) {
    const bool regular = random.below(2) == 0;
    TreeTopology tree;
    if (regular) {
      const std::vector<std::int64_t> distance{1, 1, 10};
      tree = TreeTopology::balanced(Ints{2, 1 + random.below(2), 2}, distance);
    } else {
      Ints parent{-1};
      for (std::int32_t v = 1; v < 12; ++v) parent.push_back(random.below(v));
      tree = TreeTopology::from_parents(parent);
    }
    Ints usable;
    for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
      if (random.below(8) != 0 && usable.size() < 7) usable.push_back(leaf);
    if (usable.empty()) continue;
    const std::int32_t ranks = 1 + random.below(static_cast<std::int32_t>(usable.size()));
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 2 * ranks; ++k)
      edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(50)});
    const CommMatrix matrix = CommMatrix::from_edges(ranks, edges);
    const MapResult result = mapped(matrix, tree, usable, {.seed = random.next(), .scope = LeafScope::whole});
    const Cost best = optimum(matrix, tree, usable);
    ck_assert(result.cost >= best);
    total += result.cost;
    least += best;
    for (const LeafScope scope : {LeafScope::given, LeafScope::subtree}) mapped(matrix, tree, usable, {.scope = scope});
  }
  ck_assert_msg(total * 100 <= least * 103, "%.3f of the optimum",
                static_cast<double>(total) / static_cast<double>(least));
}
END_TEST

START_TEST(swaps_only_improve) {
  Random random(11);
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 3, 4});
  for (int round = 0; round < instances(50); ++round) {
    std::vector<CommEdge> edges;
    for (int k = 0; k < 60; ++k) edges.push_back({random.below(20), random.below(20), 1 + random.below(9)});
    const CommMatrix matrix = CommMatrix::from_edges(20, edges);
    Ints leaves = all_leaves(tree);
    for (std::int32_t k = 35; k > 0; --k) std::swap(leaves[k], leaves[random.below(k + 1)]);
    leaves.resize(20);
    const auto swapped_on = [&](Ints usable) {
      Ints leaf_of_rank = leaves;
      std::sort(usable.begin(), usable.end());
      mapping::swap_search(mapping::scaled_graph(matrix), tree, usable, leaf_of_rank, 100'000, mapping::WorkBudget());
      return leaf_of_rank;
    };
    const Ints swapped = swapped_on(leaves);
    ck_assert(tree.hop_bytes(matrix, swapped) < tree.hop_bytes(matrix, leaves));
    ck_assert(std::is_permutation(swapped.begin(), swapped.end(), leaves.begin()));
    ck_assert(tree.hop_bytes(matrix, swapped_on(all_leaves(tree))) < tree.hop_bytes(matrix, leaves));
  }
}
END_TEST

START_TEST(deadline_leaves_a_whole_mapping) {
  for (const std::int32_t side : {1, 2, 7, 16}) {
    const CommMatrix matrix = shuffled_stencil(side);
    const TreeTopology tree = TreeTopology::balanced(Ints{5, 7, 19, 9});
    Ints usable;
    for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
      if (leaf % 5 != 2) usable.push_back(leaf);
    map_in_time(matrix, tree, usable);
  }
}
END_TEST

START_TEST(deadline_with_65536_ranks) {
  const TreeTopology tree = TreeTopology::balanced(Ints{14, 20, 18, 2, 8});
  std::vector<CommEdge> edges = shuffled_stencil(40).edges();
  for (std::int32_t rank = 64000; rank < 65536; ++rank) edges.push_back({0, rank, 5});  // rank 0 has very many partners
  map_in_time(CommMatrix::from_edges(65536, std::move(edges)), tree, all_leaves(tree));
}
END_TEST

START_TEST(late_deadline_changes_nothing) {
  const TreeTopology tree = TreeTopology::balanced(Ints{4, 5, 6, 7});
  const CommMatrix matrix = shuffled_stencil(8);
  for (const LeafScope scope : {LeafScope::given, LeafScope::whole}) {
    const MapResult never = map_to_tree(matrix, tree, all_leaves(tree), {.scope = scope});
    const MapOptions late{.scope = scope, .deadline = Deadline::after(std::chrono::hours(1))};
    ck_assert(map_to_tree(matrix, tree, all_leaves(tree), late).leaf_of_rank == never.leaf_of_rank);
  }
}
END_TEST

// All searches of a job of up to 512 ranks share one limit on their work. A search that has started is finished.
START_TEST(work_of_small_jobs_is_limited) {
  const TreeTopology tree = TreeTopology::balanced(Ints{14, 20, 18, 2, 8});
  Random random(31);
  Ints usable;
  for (std::int32_t node = 0; node < tree.leaves() / 16; ++node)
    for (std::int32_t core = 0, busy = random.below(5) < 3; core < 16 && busy == 0; ++core)
      usable.push_back(16 * node + core);
  for (const std::int32_t ranks : {20, 48, 96, 128, 200, 256, 300, 512}) {
    if (ranks > instances(512)) continue;
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 8 * ranks; ++k)
      edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(1000)});
    const CommMatrix matrix = CommMatrix::from_edges(ranks, std::move(edges));
    const MapResult narrow = mapped(matrix, tree, usable, {.scope = LeafScope::subtree});
    const MapResult whole = mapped(matrix, tree, usable, {.scope = LeafScope::whole});
    ck_assert_int_gt(narrow.work, 0);
    ck_assert_msg(whole.work <= 8'000'000, "%d ranks: %lld units of work", ranks, static_cast<long long>(whole.work));
    ck_assert(whole.cost <= narrow.cost);
    ck_assert(mapped(matrix, tree, usable, {.scope = LeafScope::whole, .effort = 40}).cost <= whole.cost);
  }
}
END_TEST

// Leaves whose tree has the shape of an earlier one get the mapping that they would get without the memory.
// All arcs of a rank that moves count as work, so that dense traffic does not take many times as long.
START_TEST(annealing_counts_the_arcs_of_dense_traffic) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 256; ++a)
    for (std::int32_t b = a + 1; b < 256; ++b) edges.push_back({a, b, 1 + (a + b) % 3});
  const CommMatrix matrix = CommMatrix::from_edges(256, std::move(edges));
  const TreeTopology tree = TreeTopology::balanced(Ints{8, 8, 8});
  const Ints leaves = all_leaves(tree);
  Ints slot(leaves.begin(), leaves.begin() + 256);
  const mapping::Graph graph = mapping::scaled_graph(matrix);
  const mapping::WorkBudget watch;
  anneal_on(matrix, graph, tree, leaves, slot, 1, 2'000'000, watch);
  ck_assert_int_lt(watch.spent(), 8'000'000);
}
END_TEST

START_TEST(memory_changes_nothing) {
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 4, 2, 4});
  Random random(5);
  int recalled = 0;
  for (int round = 0; round < instances(40); ++round) {
    const std::int32_t ranks = 2 + random.below(20);
    std::vector<CommEdge> edges;
    for (int k = 0; k < 3 * ranks; ++k)
      edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(50)});
    std::erase_if(edges, [](const CommEdge& edge) { return edge.a == edge.b; });
    const CommMatrix matrix = CommMatrix::from_edges(ranks, edges);
    MapMemory memory;
    for (int call = 0; call < 6; ++call) {
      // Whole nodes of eight leaves are usable, or random leaves.
      Ints usable;
      for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
        if (call < 4 ? leaf / 8 >= call : random.below(3) > 0) usable.push_back(leaf);
      if (usable.size() < static_cast<std::size_t>(ranks)) continue;
      for (const LeafScope scope : {LeafScope::given, LeafScope::subtree, LeafScope::whole}) {
        const MapResult alone = map_to_tree(matrix, tree, usable, {.scope = scope});
        const std::size_t before = memory.size();
        const MapResult with = map_to_tree(matrix, tree, usable, {.scope = scope, .memory = &memory});
        recalled += memory.size() == before;
        ck_assert(with.leaf_of_rank == alone.leaf_of_rank);
        ck_assert(with.cost == alone.cost);
        ck_assert_text_eq(with.method, alone.method);
      }
    }
  }
  ck_assert_int_gt(recalled, instances(100));
}
END_TEST

int main() {
  Suite* suite = suite_create("tree_map");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, worked_figure);
  tcase_add_test(all, motivating_example);
  tcase_add_test(all, no_ranks_and_one_rank);
  tcase_add_test(all, refuses_impossible_input);
  tcase_add_test(all, scopes);
  tcase_add_test(all, arity_one_and_disconnected);
  tcase_add_test(all, weights_near_the_limit);
  tcase_add_test(all, a_million_leaves);
  tcase_add_test(all, all_to_all_needs_close_leaves_only);
  tcase_add_test(all, random_small_cases);
  tcase_add_test(all, swaps_only_improve);
  tcase_add_test(all, deadline_leaves_a_whole_mapping);
  tcase_add_test(all, deadline_with_65536_ranks);
  tcase_add_test(all, late_deadline_changes_nothing);
  tcase_add_test(all, work_of_small_jobs_is_limited);
  tcase_add_test(all, annealing_counts_the_arcs_of_dense_traffic);
  tcase_add_test(all, memory_changes_nothing);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

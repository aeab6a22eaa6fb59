// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/multisection.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "mapping/bisection.hpp"
#include "mapping/coarsen.hpp"
#include "mapping/fm.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

mapping::Graph random_graph(std::int32_t n, std::int32_t pairs, std::int32_t heaviest, Random& random) {
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < pairs; ++k)
    edges.push_back({random.below(n), random.below(n), 1 + random.below(heaviest)});
  return mapping::scaled_graph(CommMatrix::from_edges(n, edges));
}

// Returns the matrix of a ring of n ranks.
mapping::Graph ring(std::int32_t n) {
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < n; ++k) edges.push_back({k, (k + 1) % n, 3});
  return mapping::scaled_graph(CommMatrix::from_edges(n, edges));
}

std::int64_t cut_of(const mapping::Graph& graph, const std::vector<std::int8_t>& side) {
  std::int64_t cut = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    for (const mapping::Arc& arc : graph.arcs(v))
      if (side[v] != side[arc.to]) cut += arc.weight;
  return cut / 2;
}

std::int64_t total(const mapping::Graph& graph) {
  std::int64_t sum = 0;
  for (const mapping::Arc& arc : graph.arc) sum += arc.weight;
  return sum;
}

}  // namespace

START_TEST(buckets_give_the_largest) {
  Random random(3);
  mapping::GainBuckets queue;
  for (int round = 0; round < 20; ++round) {
    queue.reset(200);
    std::vector<std::int32_t> gain(200);
    std::vector<bool> inside(200, true);
    for (std::int32_t v = 0; v < 200; ++v) {
      gain[v] = random.below(3) == 0 ? random.below(INT32_MAX) - (1 << 30) : random.below(127) - 63;
      queue.add(v, 0);
      queue.change(v, gain[v]);
    }
    for (std::int32_t left = 200; left > 0; --left) {
      ck_assert(!queue.empty());
      const std::int32_t v = queue.top();
      ck_assert(inside[v]);
      for (std::int32_t u = 0; u < 200; ++u) {
        if (!inside[u] || gain[u] <= gain[v]) continue;
        ck_assert_int_gt(std::abs(gain[u]), 63);  // gains up to 63 are exact, larger ones within 1/32
        ck_assert(gain[u] - gain[v] <= std::max(std::abs(gain[u]), std::abs(gain[v])) / 32);
      }
      queue.remove(v);
      inside[v] = false;
    }
    ck_assert(queue.empty());
  }
}
END_TEST

START_TEST(coarsening_keeps_weights_and_sizes) {
  Random random(5);
  const mapping::Graph graph = random_graph(300, 900, 20, random);
  std::vector<std::int32_t> coarse_of;
  const mapping::Graph coarse = mapping::coarsened(graph, 3, random, coarse_of);
  ck_assert_int_lt(coarse.vertices(), 250);
  ck_assert_int_eq(std::accumulate(coarse.size.begin(), coarse.size.end(), 0), 300);
  ck_assert_int_le(*std::max_element(coarse.size.begin(), coarse.size.end()), 3);
  std::int64_t inside = 0;
  for (std::int32_t v = 0; v < 300; ++v)
    for (const mapping::Arc& arc : graph.arcs(v))
      if (coarse_of[v] == coarse_of[arc.to]) inside += arc.weight;
  ck_assert_int_eq(total(coarse) + inside, total(graph));
  for (std::int32_t v = 0; v < coarse.vertices(); ++v)
    for (const mapping::Arc& arc : coarse.arcs(v)) ck_assert_int_ne(arc.to, v);
}
END_TEST

START_TEST(refinement_is_exact_and_counts_the_cut) {
  Random random(9);
  for (int round = 0; round < 100; ++round) {
    const std::int32_t n = 2 + random.below(60);
    const mapping::Graph graph = random_graph(n, random.below(4 * n), 1 + random.below(1 << 20), random);
    const std::int32_t first = random.below(n + 1);
    std::vector<std::int8_t> side(n, 1);
    for (std::int32_t v = 0; v < n; ++v) side[v] = static_cast<std::int8_t>(random.below(2));
    mapping::BisectionRefiner refiner;
    const std::int64_t cut = refiner.refine(graph, first, 0, 8, side);
    ck_assert_int_eq(cut, cut_of(graph, side));
    ck_assert_int_eq(std::count(side.begin(), side.end(), 0), first);
    ck_assert_int_le(refiner.refine(graph, first, 0, 8, side), cut);
  }
}
END_TEST

// Twice a weight may exceed 31 bits, although gains do not. A build with -fsanitize=undefined finds the overflow.
START_TEST(a_pair_with_nearly_all_traffic_stays_together) {
  const std::int64_t heavy = INT32_MAX - 2;
  const CommMatrix matrix = CommMatrix::from_edges(4, {{0, 2, heavy}, {1, 3, 1}});
  const mapping::Graph graph = mapping::scaled_graph(matrix);
  mapping::BisectionRefiner refiner;
  std::vector<std::int8_t> side{0, 0, 1, 1};
  ck_assert_int_eq(refiner.refine(graph, 2, 0, 10, side), 0);
  ck_assert_int_eq(side[0], side[2]);
  ck_assert_int_eq(side[1], side[3]);
  ck_assert_int_ne(side[0], side[1]);
}
END_TEST

START_TEST(rings_are_cut_twice) {
  for (const std::int32_t n : {8, 81, 500, 3000}) {
    const mapping::WorkBudget watch;
    mapping::Bisection bisection(1, {3, 6}, watch);
    const std::vector<std::int8_t> side = bisection.split(ring(n), n / 3, n / 3);
    ck_assert_int_eq(std::count(side.begin(), side.end(), 0), n / 3);
    ck_assert_int_eq(cut_of(ring(n), side), 6);
  }
}
END_TEST

// A graph with few pairs has several components, from which a try may choose more than one vertex.
START_TEST(the_memory_of_bisections_changes_neither_the_sides_nor_the_work) {
  Random random(5);
  for (const std::int32_t pairs : {20, 60, 400}) {
    const mapping::Graph graph = random_graph(40, pairs, 9, random);
    mapping::BisectionsFound found;
    for (int round = 0; round < 10; ++round) {
      const mapping::WorkBudget watch, watch_without;
      mapping::Bisection bisection(round, {3, 6}, watch);
      mapping::Bisection without(round, {3, 6}, watch_without);
      for (int k = 0; k < 3; ++k) ck_assert(bisection.split(graph, 15, 20, found) == without.split(graph, 15, 20));
      ck_assert_int_eq(watch.spent(), watch_without.spent());
    }
    ck_assert_uint_le(found.tries.size(), 40);
  }
}
END_TEST

START_TEST(multisection_fills_every_slot) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::int32_t> parent{-1};
    for (std::int32_t v = 1; v < 200; ++v) parent.push_back(random.below(std::min(v, 60)));
    const TreeTopology topology = TreeTopology::from_parents(parent);
    std::vector<std::int32_t> leaves;
    for (std::int32_t leaf = 0; leaf < topology.leaves(); ++leaf)
      if (random.below(3) != 0) leaves.push_back(leaf);
    const mapping::LeafTree tree(topology, leaves);
    const mapping::Graph graph = random_graph(tree.slots(), 3 * tree.slots(), 9, random);
    for (const Deadline& deadline : {Deadline::never(), Deadline::after(std::chrono::microseconds(0))}) {
      std::vector<std::int32_t> slot = multisection(graph, tree, 4, 100000, mapping::WorkBudget(deadline));
      std::sort(slot.begin(), slot.end());
      for (std::int32_t s = 0; s < tree.slots(); ++s) ck_assert_int_eq(slot[s], s);
    }
  }
}
END_TEST

// Wherever the time ends, each rank has a slot of its own, and nothing is thrown.
START_TEST(annealed_multisection_fills_every_slot) {
  Random random(11);
  const std::int32_t n = 8 * 12 * 8;
  const mapping::Graph graph = random_graph(n, 8 * n, 1000, random);
  std::vector<std::int32_t> leaves(n);
  std::iota(leaves.begin(), leaves.end(), 0);
  const std::vector<std::int32_t> arities{8, 12, 8};
  const mapping::LeafTree tree(TreeTopology::balanced(arities), leaves);
  for (const Annealing annealing : {Annealing::of_parts, Annealing::of_irregular_parts})
    for (int us = -1; us < 20'000; us += 131) {
      const mapping::WorkBudget watch(us < 19'900 ? Deadline::after(std::chrono::microseconds(us)) : Deadline::never());
      std::vector<std::int32_t> slot = multisection(graph, tree, 1, 420 * n, watch, annealing);
      std::sort(slot.begin(), slot.end());
      ck_assert(slot == leaves);
    }
}
END_TEST

START_TEST(slot_distances_are_those_of_the_tree) {
  Random random(8);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::int32_t> parent{-1};
    const std::int32_t reach = round % 2 == 0 ? 10 : 1000;  // 10 makes deep trees
    for (std::int32_t v = 1; v < 60; ++v) parent.push_back(std::max(0, v - 1 - random.below(reach)));
    const TreeTopology hops = TreeTopology::from_parents(parent);
    std::vector<std::int64_t> distance;
    for (std::int32_t level = 0; level < hops.depth(); ++level) distance.push_back(3 * level * level + 1);
    for (const TreeTopology& topology : {hops, TreeTopology::from_parents(parent, distance)}) {
      std::vector<std::int32_t> leaves;
      for (std::int32_t leaf = 0; leaf < topology.leaves(); ++leaf)
        if (leaf == 0 || random.below(2) == 0) leaves.push_back(leaf);
      const mapping::LeafTree tree(topology, leaves);
      for (std::int32_t a = 0; a < tree.slots(); ++a)
        for (std::int32_t b = 0; b < tree.slots(); ++b)
          if (a != b) ck_assert_int_eq(tree.distance(a, b), topology.distance(tree.leaf(a), tree.leaf(b)));
    }
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("multisection");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, buckets_give_the_largest);
  tcase_add_test(all, coarsening_keeps_weights_and_sizes);
  tcase_add_test(all, refinement_is_exact_and_counts_the_cut);
  tcase_add_test(all, a_pair_with_nearly_all_traffic_stays_together);
  tcase_add_test(all, rings_are_cut_twice);
  tcase_add_test(all, the_memory_of_bisections_changes_neither_the_sides_nor_the_work);
  tcase_add_test(all, multisection_fills_every_slot);
  tcase_add_test(all, annealed_multisection_fills_every_slot);
  tcase_add_test(all, slot_distances_are_those_of_the_tree);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

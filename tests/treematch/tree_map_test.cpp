// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/tree_map.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/util/random.hpp"
#include "mapping/refine.hpp"
#include "tests/check.hpp"
#include "treematch/leaf_choice.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

using Ints = std::vector<std::int32_t>;

Ints all_leaves(const TreeTopology& tree) {
  Ints leaves(tree.leaves());
  std::iota(leaves.begin(), leaves.end(), 0);
  return leaves;
}

bool legal(const MapResult& result, const Ints& usable) {
  Ints leaves = result.leaf_of_rank;
  std::sort(leaves.begin(), leaves.end());
  return std::adjacent_find(leaves.begin(), leaves.end()) == leaves.end() &&
         std::includes(usable.begin(), usable.end(), leaves.begin(), leaves.end());
}

// Returns the least cost of all mappings on the usable leaves.
Cost optimum(const CommMatrix& matrix, const TreeTopology& tree, Ints usable) {
  Cost best = -1;
  do {
    const Cost cost = tree.hop_bytes(matrix, {usable.data(), static_cast<std::size_t>(matrix.ranks())});
    if (best < 0 || cost < best) best = cost;
    // Only the first ranks() entries matter, so that permutations of the others are skipped.
    std::reverse(usable.begin() + matrix.ranks(), usable.end());
  } while (std::next_permutation(usable.begin(), usable.end()));
  return best;
}

// Maps the ranks and checks what map_to_tree() guarantees: a legal mapping, its cost, and equal results on repetition.
MapResult mapped(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable,
                 const MapOptions& options) {
  const MapResult result = map_to_tree(matrix, tree, usable, options);
  ck_assert_int_eq(static_cast<std::int32_t>(result.leaf_of_rank.size()), matrix.ranks());
  ck_assert(legal(result, usable));
  ck_assert(result.cost == tree.hop_bytes(matrix, result.leaf_of_rank));
  ck_assert(result.cost <= result.natural_cost);
  ck_assert(map_to_tree(matrix, tree, usable, options).leaf_of_rank == result.leaf_of_rank);
  return result;
}

// Returns the matrix of a 27-point stencil on a cube, with shuffled ranks.
CommMatrix shuffled_stencil(std::int32_t side) {
  const std::int32_t n = side * side * side;
  Ints rank(n);
  std::iota(rank.begin(), rank.end(), 0);
  Random random(11);
  for (std::int32_t k = n - 1; k > 0; --k) std::swap(rank[k], rank[random.below(k + 1)]);
  std::vector<CommEdge> edges;
  for (std::int32_t v = 0; v < n; ++v)
    for (std::int32_t step = 14; step < 27; ++step) {
      const std::int32_t x = v % side + step % 3 - 1;
      const std::int32_t y = v / side % side + step / 3 % 3 - 1;
      const std::int32_t z = v / side / side + step / 9 - 1;
      if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
      edges.push_back({rank[v], rank[x + side * (y + side * z)], 1 + step});
    }
  return CommMatrix::from_edges(n, std::move(edges));
}

// The mapping is legal, wherever the deadline interrupts the search.
void map_in_time(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable) {
  for (const LeafScope scope : {LeafScope::given, LeafScope::whole})
    for (const int us : {-1000, 0, 20, 300, 2000, 9000, 40000}) {
      const MapOptions options{.scope = scope, .deadline = Deadline::after(std::chrono::microseconds(us))};
      const MapResult result = map_to_tree(matrix, tree, usable, options);
      ck_assert_int_eq(static_cast<std::int32_t>(result.leaf_of_rank.size()), matrix.ranks());
      ck_assert(legal(result, usable));
      ck_assert(result.cost == tree.hop_bytes(matrix, result.leaf_of_rank));
      ck_assert(result.cost <= result.natural_cost);
      if (us > 0) continue;
      ck_assert_str_eq(result.method.c_str(), "natural");
      ck_assert(std::equal(result.leaf_of_rank.begin(), result.leaf_of_rank.end(), usable.begin()));
    }
}

const CommMatrix figure2 = CommMatrix::from_edges(
    4, {{0, 1, 5}, {0, 2, 10}, {0, 3, 100}, {1, 2, 20}, {1, 3, 5}, {2, 3, 10}});

}  // namespace

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
  const TreeTopology tree = TreeTopology::from_parents(
      Ints{-1, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8});
  const CommMatrix matrix = CommMatrix::from_edges(
      8, {{0, 1, 1 << 20}, {2, 3, 1 << 20}, {4, 5, 1 << 20}, {6, 7, 1 << 20},
          {0, 2, 20}, {0, 6, 2000}, {2, 4, 1000}, {4, 6, 10}});
  const Ints usable{0, 1, 2, 3, 4, 5, 8, 9, 10, 11};
  const MapResult result = mapped(matrix, tree, usable, {.scope = LeafScope::whole});
  const auto node = [&](std::int32_t rank) { return result.leaf_of_rank[rank] / 2; };
  for (std::int32_t rank = 0; rank < 8; rank += 2) ck_assert_int_eq(node(rank), node(rank + 1));
  ck_assert_int_eq(node(0) < 4, node(6) < 4);  // A and D are below one switch
  ck_assert_int_eq(node(2) < 4, node(4) < 4);  // B and C are below one switch
  ck_assert_int_ne(node(0) < 4, node(2) < 4);
}
END_TEST

START_TEST(nothing_and_one) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2});
  ck_assert(map_to_tree(CommMatrix{}, tree, Ints{}, {}).leaf_of_rank.empty());
  ck_assert(mapped(CommMatrix::from_edges(1, {}), tree, {3}, {}).leaf_of_rank == Ints{3});
  ck_assert(mapped(CommMatrix::from_edges(3, {}), tree, {0, 2, 3}, {}).cost == 0);
  const TreeTopology one = TreeTopology::balanced(Ints{});
  ck_assert(mapped(CommMatrix::from_edges(1, {}), one, {0}, {}).leaf_of_rank == Ints{0});
}
END_TEST

START_TEST(refuses_what_cannot_be) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 2});
  const CommMatrix two = CommMatrix::from_edges(2, {{0, 1, 1}});
  ck_assert_error(map_to_tree(two, tree, Ints{}, {}), "no leaf of the tree is usable");
  ck_assert_error(map_to_tree(two, tree, Ints{1}, {}), "2 ranks do not fit on 1 usable");
  ck_assert_error(map_to_tree(two, tree, Ints{1, 1}, {}), "leaf 1 is listed twice");
  ck_assert_error(map_to_tree(two, tree, Ints{2, 1}, {}), "ascend");
  ck_assert_error(map_to_tree(two, tree, Ints{1, 4}, {}), "leaf 4 is outside 0..3");
  ck_assert_error(map_to_tree(two, tree, Ints{-1, 2}, {}), "leaf -1 is outside");
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
  const CommMatrix matrix = CommMatrix::from_edges(
      8, {{0, 7, big}, {1, 6, big}, {2, 5, big}, {3, 4, big - 1}, {0, 1, 1}});
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
  for (int round = 0; round < 300; ++round) {
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
    const MapResult result =
        mapped(matrix, tree, usable, {.seed = random.next(), .scope = LeafScope::whole});
    const Cost best = optimum(matrix, tree, usable);
    ck_assert(result.cost >= best);
    total += result.cost;
    least += best;
    for (const LeafScope scope : {LeafScope::given, LeafScope::subtree})
      mapped(matrix, tree, usable, {.scope = scope});
  }
  ck_assert_msg(total * 100 <= least * 103, "%.3f of the optimum",
                static_cast<double>(total) / static_cast<double>(least));
}
END_TEST

START_TEST(refine_only_improves) {
  Random random(11);
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 3, 4});
  for (int round = 0; round < 50; ++round) {
    std::vector<CommEdge> edges;
    for (int k = 0; k < 60; ++k) edges.push_back({random.below(20), random.below(20), 1 + random.below(9)});
    const CommMatrix matrix = CommMatrix::from_edges(20, edges);
    Ints leaves = all_leaves(tree);
    for (std::int32_t k = 35; k > 0; --k) std::swap(leaves[k], leaves[random.below(k + 1)]);
    leaves.resize(20);
    const Ints swapped = mapping::refine(matrix, tree, all_leaves(tree), leaves, {});
    ck_assert(tree.hop_bytes(matrix, swapped) < tree.hop_bytes(matrix, leaves));
    ck_assert(std::is_permutation(swapped.begin(), swapped.end(), leaves.begin()));
    const Ints moved = mapping::refine(matrix, tree, all_leaves(tree), leaves, {.move_to_free = true});
    ck_assert(tree.hop_bytes(matrix, moved) < tree.hop_bytes(matrix, leaves));
  }
  ck_assert_error(mapping::refine(figure2, tree, all_leaves(tree), Ints{0, 1, 2, 2}, {}), "both on leaf 2");
  ck_assert_error(mapping::refine(figure2, tree, Ints{0, 1, 2, 3}, Ints{0, 1, 2, 4}, {}), "not usable");
  ck_assert_error(mapping::refine(figure2, tree, Ints{0, 1, 2, 3}, Ints{0, 1, 2}, {}), "mapping of 3 ranks");
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

// All searches of a job of up to 512 ranks share one limit on their work. What was begun is ended.
START_TEST(work_of_small_jobs_is_limited) {
  const TreeTopology tree = TreeTopology::balanced(Ints{14, 20, 18, 2, 8});
  Random random(31);
  Ints usable;
  for (std::int32_t node = 0; node < tree.leaves() / 16; ++node)
    for (std::int32_t core = 0, busy = random.below(5) < 3; core < 16 && busy == 0; ++core) usable.push_back(16 * node + core);
  for (const std::int32_t ranks : {20, 48, 96, 128, 200, 256, 300, 512}) {
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 8 * ranks; ++k) edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(1000)});
    const CommMatrix matrix = CommMatrix::from_edges(ranks, std::move(edges));
    const MapResult narrow = mapped(matrix, tree, usable, {.scope = LeafScope::subtree});
    const MapResult whole = mapped(matrix, tree, usable, {.scope = LeafScope::whole});
    ck_assert_int_gt(narrow.work, 0);
    ck_assert_msg(whole.work <= 3'000'000, "%d ranks: %lld units of work", ranks, static_cast<long long>(whole.work));
    ck_assert(whole.cost <= narrow.cost);
    ck_assert(mapped(matrix, tree, usable, {.scope = LeafScope::whole, .effort = 40}).cost <= whole.cost);
  }
}
END_TEST

// Leaves whose tree has the shape of an earlier one get the mapping that they would get without the memory.
START_TEST(memory_changes_nothing) {
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 4, 2, 4});
  Random random(5);
  int recalled = 0;
  for (int round = 0; round < 40; ++round) {
    const std::int32_t ranks = 2 + random.below(20);
    std::vector<CommEdge> edges;
    for (int k = 0; k < 3 * ranks; ++k) edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(50)});
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
        ck_assert(with.cost == alone.cost && with.natural_cost == alone.natural_cost);
        ck_assert_text_eq(with.method, alone.method);
      }
    }
  }
  ck_assert_int_gt(recalled, 100);
}
END_TEST

START_TEST(a_wider_scope_never_costs_more) {
  Random random(41);
  for (int round = 0; round < 30; ++round) {
    const TreeTopology tree = TreeTopology::balanced(Ints{2 + random.below(3), 2 + random.below(3), 2 + random.below(4), 4 + random.below(12)});
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
    for (std::int32_t other = r + 2; kind == 0 && other < ranks && other / width == r / width; ++other) edges.push_back({r, other, 100});
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

// With up to 16 ranks, the narrower scope is sometimes solved exactly while the wider one takes too many steps.
START_TEST(a_wider_scope_never_costs_more_than_the_optimum_of_a_narrower_one) {
  Random random(16);
  for (int round = 0; round < 60; ++round) {
    const TreeTopology tree = TreeTopology::balanced(Ints{3 + random.below(4), 3 + random.below(4), 5 + random.below(8)});
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks = std::min(9 + random.below(8), static_cast<std::int32_t>(usable.size()));
    const CommMatrix matrix = random_traffic(ranks, 2, random);
    Cost narrower = matrix.total_weight() * Cost{100};
    for (const auto& [scope, up] : {std::pair{LeafScope::subtree, 0}, {LeafScope::subtree, 1}, {LeafScope::subtree, 2}, {LeafScope::whole, 0}}) {
      const MapResult result = mapped(matrix, tree, usable, {.scope = scope, .levels_up = up, .effort = 1 + round % 3});
      ck_assert_msg(result.cost <= narrower, "round %d, %d ranks, %d levels up: %s and not %s", round, ranks, up,
                    to_string(result.cost).c_str(), to_string(narrower).c_str());
      narrower = result.cost;
    }
  }
}
END_TEST

// With more than the usual effort, a mapping costs no more than the mapping to any one sufficient subtree by itself.
START_TEST(never_behind_a_subtree_alone) {
  Random random(29);
  int compared = 0;
  for (int round = 0; round < 16; ++round) {
    const TreeTopology tree = TreeTopology::balanced(Ints{3 + random.below(8), 4 + random.below(7), 6 + random.below(20)});
    const Ints usable = fragmented(tree, random);
    const auto free = static_cast<std::int32_t>(usable.size());
    if (free < 12) continue;
    const std::int32_t effort = 2 * usual_effort;
    const std::int32_t ranks = std::min(12 + random.below(85), free);
    const CommMatrix matrix = random_traffic(ranks, round % 3, random);
    const LeafScope scope = round % 2 == 0 ? LeafScope::subtree : LeafScope::whole;
    const Cost cost = mapped(matrix, tree, usable, {.scope = scope, .effort = effort}).cost;
    for (const std::int32_t top : lowest_sufficient(tree, usable, ranks)) {
      const Cost alone = map_to_tree(matrix, tree, leaves_below(tree, usable, top), {.scope = scope, .effort = effort}).cost;
      ck_assert_msg(cost <= alone, "round %d, %d ranks: %lld below all, %lld below vertex %d", round, ranks,
                    static_cast<long long>(cost), static_cast<long long>(alone), top);
      ++compared;
    }
  }
  ck_assert_int_gt(compared, 30);
}
END_TEST

// With the usual effort, the search of all subtrees together is seldom worse than that of one subtree, and by at most
// 2 %.
START_TEST(seldom_behind_a_subtree_alone) {
  Random random(31);
  int compared = 0, behind = 0;
  for (int round = 0; round < 60; ++round) {
    const TreeTopology tree = TreeTopology::balanced(Ints{3 + random.below(8), 4 + random.below(7), 10 + random.below(40)});
    const Ints usable = fragmented(tree, random);
    const std::int32_t ranks = std::min(17 + random.below(round % 4 == 0 ? 496 : 112), static_cast<std::int32_t>(usable.size()));
    const CommMatrix matrix = random_traffic(ranks, round % 3, random);
    const Cost cost = mapped(matrix, tree, usable, {}).cost;
    Cost least = cost;
    for (const std::int32_t top : lowest_sufficient(tree, usable, ranks))
      least = std::min(least, map_to_tree(matrix, tree, leaves_below(tree, usable, top), {}).cost);
    ++compared;
    behind += least < cost;
    ck_assert_msg(cost * 100 <= least * 102, "round %d, %d ranks: %s below all, %s below one", round, ranks, to_string(cost).c_str(),
                  to_string(least).c_str());
  }
  ck_assert_int_le(7 * behind, compared);
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

START_TEST(an_effort_never_costs_more_than_those_it_begins_with) {
  Random random(3);
  for (int round = 0; round < 12; ++round) {
    const TreeTopology tree = TreeTopology::balanced(Ints{2 + random.below(3), 3 + random.below(4), 6 + random.below(10)});
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
  Suite* suite = suite_create("tree_map");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, worked_figure);
  tcase_add_test(all, motivating_example);
  tcase_add_test(all, nothing_and_one);
  tcase_add_test(all, refuses_what_cannot_be);
  tcase_add_test(all, scopes);
  tcase_add_test(all, arity_one_and_disconnected);
  tcase_add_test(all, weights_near_the_limit);
  tcase_add_test(all, a_million_leaves);
  tcase_add_test(all, all_to_all_needs_close_leaves_only);
  tcase_add_test(all, random_small_cases);
  tcase_add_test(all, refine_only_improves);
  tcase_add_test(all, deadline_leaves_a_whole_mapping);
  tcase_add_test(all, deadline_with_65536_ranks);
  tcase_add_test(all, late_deadline_changes_nothing);
  tcase_add_test(all, work_of_small_jobs_is_limited);
  tcase_add_test(all, memory_changes_nothing);
  tcase_add_test(all, a_wider_scope_never_costs_more);
  tcase_add_test(all, a_wider_scope_never_costs_more_than_the_optimum_of_a_narrower_one);
  tcase_add_test(all, never_behind_a_subtree_alone);
  tcase_add_test(all, seldom_behind_a_subtree_alone);
  tcase_add_test(all, groups_take_a_switch_each);
  tcase_add_test(all, an_effort_never_costs_more_than_those_it_begins_with);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

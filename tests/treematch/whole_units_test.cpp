// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/whole_units.hpp"

#include "tests/treematch/tree_map_fixture.hpp"
#include "treematch/portfolio.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

// A machine of switches, nodes, sockets and cores.
TreeTopology machine() { return TreeTopology::balanced(Ints{4, 12, 2, 8}); }

// Other jobs use the last cores of the nodes: a random number of the 16, or none in one of four nodes.
Ints left_by_others(const TreeTopology& tree, std::uint64_t seed) {
  Random random(seed);
  Ints usable;
  for (std::int32_t node = 0; node < tree.leaves() / 16; ++node)
    for (std::int32_t core = 0, free = random.below(4) == 0 ? 16 : random.below(17); core < free; ++core)
      usable.push_back(16 * node + core);
  return usable;
}

// A halo exchange on a grid.
CommMatrix grid(std::int32_t x, std::int32_t y, std::int32_t z) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < x * y * z; ++r) {
    if (r % x + 1 < x) edges.push_back({r, r + 1, 100});
    if (r / x % y + 1 < y) edges.push_back({r, r + x, 100});
    if (r / x / y + 1 < z) edges.push_back({r, r + x * y, 100});
  }
  return CommMatrix::from_edges(x * y * z, std::move(edges));
}

CommMatrix random_pairs(std::int32_t ranks) {
  Random random(3);
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < 8 * ranks; ++k)
    edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(100)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

}  // namespace

START_TEST(units_cost_less_than_filling_all_leaves) {
  const TreeTopology tree = machine();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Ints usable = left_by_others(tree, seed);
    const CommMatrix matrix = grid(8, 8, 4);
    const MapOptions options{.scope = LeafScope::whole};
    const auto units = map_whole_units(matrix, tree, usable, options);
    ck_assert(units.has_value());
    ck_assert(legal(*units, usable));
    ck_assert_int_eq(units->cost, tree.hop_bytes(matrix, units->leaf_of_rank));
    ck_assert_int_gt(units->work, 0);
    const MapResult filled = map_by_portfolio(matrix, tree, usable, options, {});
    ck_assert_msg(100 * units->cost < 99 * filled.cost, "seed %d: %lld and %lld", static_cast<int>(seed),
                  static_cast<long long>(units->cost), static_cast<long long>(filled.cost));
    ck_assert(map_whole_units(matrix, tree, usable, options)->leaf_of_rank == units->leaf_of_rank);
  }
}
END_TEST

// Jobs of more than 512 ranks are mapped by units, too, and keep what costs less.
START_TEST(large_jobs_are_mapped_by_units) {
  const TreeTopology tree = TreeTopology::balanced(Ints{6, 18, 2, 8});
  const Ints usable = left_by_others(tree, 5);
  const CommMatrix matrix = grid(10, 8, 7);
  ck_assert_int_gt(matrix.ranks(), 512);
  for (const LeafScope scope : {LeafScope::subtree, LeafScope::whole}) {
    const MapResult result = mapped(matrix, tree, usable, {.scope = scope});
    ck_assert_str_eq(result.method.c_str(), "units of 8 ranks");
    ck_assert_int_le(result.cost, map_whole_units(matrix, tree, usable, {.scope = scope})->cost);
  }
}
END_TEST

// With the scope `subtree` the places of one subtree have to suffice, although units leave cores of it free.
START_TEST(the_scope_is_kept) {
  const TreeTopology tree = machine();
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const std::int32_t layers : {8, 9, 10, 11, 12}) {
      const Ints usable = left_by_others(tree, seed);
      const CommMatrix matrix = grid(4, 2, layers);
      const auto units = map_whole_units(matrix, tree, usable, {.scope = LeafScope::subtree});
      if (!units) continue;
      ++found;
      ck_assert(legal(*units, usable));
      const std::int32_t height = tree.height(lowest_subtrees(tree, usable, matrix.ranks()).front());
      Ints leaves = units->leaf_of_rank;
      std::sort(leaves.begin(), leaves.end());
      const std::int32_t top =
          tree.lowest_common_ancestor(tree.leaf_vertex(leaves.front()), tree.leaf_vertex(leaves.back()));
      ck_assert_int_le(tree.height(top), height);
    }
  ck_assert_int_gt(found, 0);
  ck_assert_int_lt(found, 100);
}
END_TEST

START_TEST(jobs_that_have_no_use_for_it) {
  const TreeTopology tree = machine();
  const Ints usable = left_by_others(tree, 1);
  const MapOptions whole{.scope = LeafScope::whole};
  ck_assert(!map_whole_units(random_pairs(256), tree, usable, whole));
  ck_assert(map_whole_units(grid(8, 8, 4), tree, usable, whole).has_value());
  Ints alike = all_leaves(tree);
  ck_assert(!map_whole_units(grid(8, 8, 4), tree, alike, whole));
  alike.pop_back();
  ck_assert(!map_whole_units(grid(8, 8, 4), tree, alike, whole));
  ck_assert(!map_whole_units(CommMatrix::from_edges(64, {}), tree, usable, whole));
  Ints scattered;  // no socket has eight free cores
  for (const std::int32_t leaf : usable)
    if (leaf % 8 != 3) scattered.push_back(leaf);
  ck_assert(!map_whole_units(grid(8, 8, 2), tree, scattered, whole));
  ck_assert(!map_whole_units(grid(8, 8, 4), tree, usable,
                             {.scope = LeafScope::whole, .deadline = Deadline::after(std::chrono::seconds(-1))}));
}
END_TEST

// Groups of 65 and of 66 ranks that exchange all to all have 32 and 32.5 pairs for each rank.
START_TEST(at_most_32_pairs_for_each_rank) {
  const TreeTopology tree = machine();
  const Ints usable = left_by_others(tree, 1);
  for (const std::int32_t size : {65, 66}) {
    std::vector<CommEdge> edges;
    for (std::int32_t a = 0; a < 4 * size; ++a)
      for (std::int32_t b = a + 1; b < (a / size + 1) * size; ++b) edges.push_back({a, b, 10});
    const CommMatrix matrix = CommMatrix::from_edges(4 * size, std::move(edges));
    ck_assert_int_eq(map_whole_units(matrix, tree, usable, {.scope = LeafScope::whole}).has_value(), size == 65);
  }
}
END_TEST

START_TEST(at_most_16384_ranks) {
  const TreeTopology tree = TreeTopology::balanced(Ints{10, 20, 12, 2, 8});
  Ints usable = all_leaves(tree);
  usable.erase(usable.begin());
  usable.pop_back();
  const MapOptions whole{.scope = LeafScope::whole, .effort = 1};
  ck_assert(map_whole_units(grid(32, 32, 16), tree, usable, whole).has_value());
  ck_assert(!map_whole_units(grid(32, 32, 17), tree, usable, whole));
}
END_TEST

int main() {
  Suite* suite = suite_create("whole_units");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, units_cost_less_than_filling_all_leaves);
  tcase_add_test(all, large_jobs_are_mapped_by_units);
  tcase_add_test(all, the_scope_is_kept);
  tcase_add_test(all, jobs_that_have_no_use_for_it);
  tcase_add_test(all, at_most_32_pairs_for_each_rank);
  tcase_add_test(all, at_most_16384_ranks);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/unit_mapping.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/matrix/cost.hpp"
#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "treematch/graph_growing.hpp"
#include "treematch/tree_map.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

using Ints = std::vector<std::int32_t>;

// Returns the traffic between nearest neighbours on a grid, with shuffled ranks. The weight of a pair is 100 plus or
// minus up to `noise`.
CommMatrix shuffled_grid(std::int32_t nx, std::int32_t ny, std::int32_t nz, std::int32_t noise = 0) {
  const std::int32_t n = nx * ny * nz;
  Ints rank(n);
  std::iota(rank.begin(), rank.end(), 0);
  Random random(3);
  for (std::int32_t k = n - 1; k > 0; --k) std::swap(rank[k], rank[random.below(k + 1)]);
  std::vector<CommEdge> edges;
  const auto add = [&](std::int32_t v, std::int32_t u) {
    edges.push_back({rank[v], rank[u], 100 - noise + random.below(2 * noise + 1)});
  };
  for (std::int32_t v = 0; v < n; ++v) {
    if (v % nx + 1 < nx) add(v, v + 1);
    if (v / nx % ny + 1 < ny) add(v, v + nx);
    if (v / nx / ny + 1 < nz) add(v, v + nx * ny);
  }
  return CommMatrix::from_edges(n, edges);
}

Ints all_leaves(const TreeTopology& tree) {
  Ints leaves(tree.leaves());
  std::iota(leaves.begin(), leaves.end(), 0);
  return leaves;
}

// Checks that all groups but the last have `size` members.
void check_sizes(const FrontGroups& groups, std::int32_t vertices, std::int32_t size) {
  ck_assert_int_eq(static_cast<std::int32_t>(groups.group.size()), vertices);
  ck_assert_int_eq(groups.groups, (vertices + size - 1) / size);
  Ints members(groups.groups, 0);
  for (const std::int32_t group : groups.group) {
    ck_assert(group >= 0 && group < groups.groups);
    ++members[group];
  }
  for (std::int32_t g = 0; g + 1 < groups.groups; ++g) ck_assert_int_eq(members[g], size);
}

// Returns the number of groups that have this number of pairs inside.
std::int32_t groups_with(const mapping::Graph& graph, const FrontGroups& groups, std::int32_t pairs) {
  Ints inside(groups.groups, 0);
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    for (const mapping::Arc& arc : graph.arcs(v)) inside[groups.group[v]] += groups.group[arc.to] == groups.group[v];
  return static_cast<std::int32_t>(std::count(inside.begin(), inside.end(), 2 * pairs));
}

MapResult mapped(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable) {
  const MapResult result = map_to_tree(matrix, tree, usable, {.scope = LeafScope::whole});
  ck_assert(result.cost == tree.hop_bytes(matrix, result.leaf_of_rank));
  return result;
}

}  // namespace

START_TEST(cubes_fit_together) {
  for (const Ints& side : {Ints{8, 8, 8}, Ints{16, 6, 4}, Ints{2, 2, 2}}) {
    const mapping::Graph graph = mapping::scaled_graph(shuffled_grid(side[0], side[1], side[2]));
    const FrontGroups groups = front_groups(graph, 8);
    check_sizes(groups, graph.vertices(), 8);
    ck_assert_int_eq(groups_with(graph, groups, 12), groups.groups);
  }
}
END_TEST

START_TEST(odd_sides_leave_whole_cubes_whole) {
  const mapping::Graph graph =
      mapping::scaled_graph(shuffled_grid(9, 17, 11));  // 4 x 8 x 5 cubes of eight, and three thin sides
  const FrontGroups groups = front_groups(graph, 8);
  check_sizes(groups, graph.vertices(), 8);
  ck_assert_int_ge(groups_with(graph, groups, 12), 4 * 8 * 5 * 9 / 10);
}
END_TEST

START_TEST(any_graph_any_size) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    const std::int32_t n = 1 + random.below(80);
    std::vector<CommEdge> edges;
    for (std::int32_t k = random.below(3 * n); k > 0; --k)
      edges.push_back({random.below(n), random.below(n), 1 + random.below(50)});
    const mapping::Graph graph = mapping::scaled_graph(CommMatrix::from_edges(n, edges));
    const std::int32_t size = 1 + random.below(20);
    const FrontGroups groups = front_groups(graph, size);
    check_sizes(groups, n, size);
    ck_assert(front_groups(graph, size).group == groups.group);
  }
  for (const int us : {-1000, 0, 20, 100, 300, 1000}) {
    const mapping::Graph graph = mapping::scaled_graph(shuffled_grid(20, 19, 20));
    check_sizes(front_groups(graph, 8, mapping::WorkBudget(Deadline::after(std::chrono::microseconds(us)))), 7600, 8);
  }
}
END_TEST

START_TEST(trees_that_are_cut) {
  const std::vector<std::int64_t> distance{1, 4, 5, 11};
  for (const TreeTopology& whole :
       {TreeTopology::balanced(Ints{3, 2, 2, 4}), TreeTopology::balanced(Ints{3, 2, 2, 4}, distance)}) {
    Ints leaves = all_leaves(whole);
    leaves.erase(leaves.begin() + 8, leaves.begin() + 16);  // removes a whole branch, so that one side has fewer levels
    const mapping::LeafTree tree(whole, leaves);
    Ints above, origin;
    for (std::int32_t slot = 0; slot < tree.slots(); slot += 4) {
      above.push_back(tree.vertex(tree.slot_vertex(slot)).parent);
      origin.push_back(whole.parent(whole.leaf_vertex(tree.leaf(slot))));
    }
    const mapping::LeafTree cut = tree.cut_at(above);
    const TreeTopology expected = whole.cut_at(origin);
    ck_assert_int_eq(cut.slots(), expected.leaves());
    for (std::int32_t a = 0; a < cut.slots(); ++a) {
      ck_assert_int_eq(cut.vertex(cut.slot_vertex(a)).first_slot, a);
      for (std::int32_t b = 0; b < cut.slots(); ++b)
        if (a != b) ck_assert_int_eq(cut.distance(a, b), expected.distance(a, b));
    }
  }
}
END_TEST

START_TEST(bricks_on_a_machine) {
  // The cost is that of bricks: 2 x 2 x 2 on a socket, 4 x 2 x 2 on a node, 8 x 8 x 4 below a switch.
  const TreeTopology tree = TreeTopology::balanced(Ints{16, 16, 2, 8});
  const MapResult result = mapped(shuffled_grid(16, 16, 16), tree, all_leaves(tree));
  ck_assert_str_eq(result.method.c_str(), "units");
  ck_assert(result.cost <= 4505600);
}
END_TEST

START_TEST(measured_traffic_is_uneven) {
  const TreeTopology whole = TreeTopology::balanced(Ints{16, 4, 8});
  const mapping::LeafTree tree(whole, all_leaves(whole));
  for (const std::int32_t noise : {0, 1, 10, 30}) {
    const mapping::Graph graph = mapping::scaled_graph(shuffled_grid(8, 8, 8, noise));
    const std::optional<Units> units = join_to_units(graph, tree);
    ck_assert(units.has_value() && units->equal_pieces && units->fit > 0.999);
    ck_assert_int_eq(groups_with(graph, {units->unit_of, 64}, 12), 64);
  }
  // The weights go from 1 to 2^51 without gaps. They do not overflow when they are made equal.
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < 512; ++k)
    for (const std::int32_t step : {1, 2, 8, 64})
      edges.push_back({k, (k + step) % 512, 1 + (std::int64_t{1} << (k + step) % 52)});
  std::vector<std::int32_t> slot = units_mapping(
      mapping::scaled_graph(CommMatrix::from_edges(512, edges)), tree,
      *join_to_units(mapping::scaled_graph(CommMatrix::from_edges(512, edges)), tree), 1, 10000, mapping::WorkBudget());
  std::sort(slot.begin(), slot.end());
  for (std::int32_t s = 0; s < 512; ++s) ck_assert_int_eq(slot[s], s);
}
END_TEST

START_TEST(one_place_is_smaller) {
  const TreeTopology whole = TreeTopology::balanced(Ints{4, 2, 8});
  const CommMatrix matrix = shuffled_grid(4, 5, 3);
  for (const std::int32_t hole : {0, 24, 60}) {
    Ints leaves = all_leaves(whole);
    leaves.erase(leaves.begin() + hole, leaves.begin() + hole + 4);
    const mapping::LeafTree tree(whole, leaves);
    const mapping::Graph graph = mapping::scaled_graph(matrix);
    const std::optional<Units> units = join_to_units(graph, tree);
    ck_assert(units.has_value());
    ck_assert_int_eq(units->odd, hole / 8);
    ck_assert(units->fit > 0.5 && units->fit < 1);
    Ints slot = units_mapping(graph, tree, *units, 1, 10000, mapping::WorkBudget());
    std::sort(slot.begin(), slot.end());
    for (std::int32_t s = 0; s < 60; ++s) ck_assert_int_eq(slot[s], s);
    mapped(matrix, whole, leaves);
    // Ranks that follow each other, eight by eight; the last four take the smaller place.
    Ints in_order(60);
    std::iota(in_order.begin(), in_order.end(), 0);
    const std::optional<Units> consecutive = consecutive_units(tree, in_order);
    ck_assert(consecutive.has_value() && consecutive->odd == hole / 8);
    for (std::int32_t rank = 0; rank < 60; ++rank) ck_assert_int_eq(consecutive->unit_of[rank], rank / 8);
    slot = units_mapping(graph, tree, *consecutive, 1, 10000, mapping::WorkBudget());
    for (std::int32_t rank = 1; rank < 60; ++rank)
      if (rank % 8 != 0) ck_assert_int_eq(slot[rank], slot[rank - 1] + 1);
    std::sort(slot.begin(), slot.end());
    for (std::int32_t s = 0; s < 60; ++s) ck_assert_int_eq(slot[s], s);
  }
}
END_TEST

START_TEST(places_that_differ_are_refused) {
  const TreeTopology whole = TreeTopology::balanced(Ints{4, 2, 8});
  Ints leaves = all_leaves(whole);
  leaves.erase(leaves.begin() + 16, leaves.begin() + 20);
  leaves.erase(leaves.begin(), leaves.begin() + 3);
  ck_assert(
      !join_to_units(mapping::scaled_graph(shuffled_grid(57, 1, 1)), mapping::LeafTree(whole, leaves)).has_value());
  ck_assert(!consecutive_units(mapping::LeafTree(whole, leaves), all_leaves(whole)).has_value());
  const TreeTopology flat = TreeTopology::balanced(Ints{64});
  ck_assert(!join_to_units(mapping::scaled_graph(shuffled_grid(64, 1, 1)), mapping::LeafTree(flat, all_leaves(flat)))
                 .has_value());
  const TreeTopology uneven = TreeTopology::from_parents(Ints{-1, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 11, 11});
  ck_assert_int_eq(uneven.leaves(), 8);
  ck_assert(!join_to_units(mapping::scaled_graph(shuffled_grid(8, 1, 1)), mapping::LeafTree(uneven, all_leaves(uneven)))
                 .has_value());
}
END_TEST

int main() {
  Suite* suite = suite_create("units");
  TCase* all = tcase_create("all");
  tcase_add_test(all, cubes_fit_together);
  tcase_add_test(all, odd_sides_leave_whole_cubes_whole);
  tcase_add_test(all, any_graph_any_size);
  tcase_add_test(all, trees_that_are_cut);
  tcase_add_test(all, bricks_on_a_machine);
  tcase_add_test(all, measured_traffic_is_uneven);
  tcase_add_test(all, one_place_is_smaller);
  tcase_add_test(all, places_that_differ_are_refused);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

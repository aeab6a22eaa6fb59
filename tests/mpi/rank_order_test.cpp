// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/rank_order.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>

#include "common/util/random.hpp"
#include "mpi/assignment_files.hpp"
#include "tests/words.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::mpi;

namespace {

// Table I of the publication [JA §3].
CommMatrix table_one() {
  const int rows[8][8] = {{0, 100, 19, 12, 19, 11, 2511, 223}, {100, 0, 12, 12, 25, 28, 223, 1412},
                          {19, 12, 0, 223, 251, 1584, 17, 10}, {12, 12, 223, 0, 1995, 112, 17, 17},
                          {19, 25, 251, 1995, 0, 158, 17, 12}, {11, 28, 1584, 112, 158, 0, 25, 19},
                          {2511, 223, 17, 17, 17, 25, 0, 100}, {223, 1412, 10, 17, 12, 19, 100, 0}};
  std::vector<CommEdge> edges;
  for (int a = 0; a < 8; ++a)
    for (int b = a + 1; b < 8; ++b) edges.push_back({a, b, rows[a][b]});
  return CommMatrix::from_edges(8, edges);
}

std::vector<ProcessPlace> places_of(std::vector<std::vector<std::int64_t>> paths) {
  std::vector<ProcessPlace> places(paths.size());
  for (std::size_t p = 0; p < paths.size(); ++p) std::copy(paths[p].begin(), paths[p].end(), places[p].path.begin());
  return places;
}

// Returns the places of processes that are dealt to the nodes in turn.
std::vector<ProcessPlace> round_robin(int processes, int nodes) {
  std::vector<ProcessPlace> places(static_cast<std::size_t>(processes));
  for (int p = 0; p < processes; ++p) places[p].path[0] = p % nodes;
  return places;
}

CommMatrix ring(int ranks, std::int64_t weight) {
  std::vector<CommEdge> edges;
  for (int r = 0; r < ranks; ++r) edges.push_back({r, (r + 1) % ranks, weight});
  return CommMatrix::from_edges(ranks, edges);
}

bool is_permutation_of_ranks(std::vector<std::int32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (ranks[r] != static_cast<std::int32_t>(r)) return false;
  return true;
}

}  // namespace

// libplacement-reorder(7): a new order is taken when it saves at least 5 % of the hop-bytes.
START_TEST(the_usual_gain) { ck_assert_double_eq(OrderOptions().least_gain, 0.05); }
END_TEST

START_TEST(tree_has_only_levels_that_branch) {
  // Each node has one package; the numbers are equal on both nodes.
  const ProcessTree tree = process_tree(places_of({{7, 0, 0, 0}, {9, 0, 0, 0}, {7, 0, 0, 1}, {9, 0, 0, 1}}));
  ck_assert_int_eq(tree.tree.depth(), 2);  // node, core
  ck_assert_int_eq(tree.tree.leaves(), 4);
  ck_assert_int_lt(tree.tree.distance(tree.leaf_of_process[0], tree.leaf_of_process[2]),
                   tree.tree.distance(tree.leaf_of_process[0], tree.leaf_of_process[1]));
  const ProcessTree crowded = process_tree(places_of({{7, 0}, {7, 0}, {9, 0}, {7, 1}}));
  ck_assert_int_eq(crowded.tree.depth(), 3);  // node, core, process
  ck_assert_int_eq(crowded.tree.distance(crowded.leaf_of_process[0], crowded.leaf_of_process[1]), 2);
  ck_assert_int_eq(crowded.tree.distance(crowded.leaf_of_process[0], crowded.leaf_of_process[3]), 4);
  ck_assert_int_eq(process_tree(places_of({{1}, {1}, {1}})).tree.depth(), 1);
  ck_assert_int_eq(process_tree(places_of({{1}})).tree.leaves(), 1);
}
END_TEST

START_TEST(a_ring_goes_around_nodes) {
  for (const OrderMethod method : {OrderMethod::treematch, OrderMethod::matching}) {
    OrderOptions options;
    options.method = method;
    const RankOrder order = order_ranks(ring(16, 10), round_robin(16, 4), options);
    ck_assert(order.changed);
    ck_assert(is_permutation_of_ranks(order.rank_of_process));
    ck_assert(order.cost < order.natural_cost);
    // The cost is computed again from the permutation.
    const ProcessTree tree = process_tree(round_robin(16, 4));
    std::vector<std::int32_t> leaf_of_rank(16);
    for (int p = 0; p < 16; ++p) leaf_of_rank[order.rank_of_process[p]] = tree.leaf_of_process[p];
    ck_assert(tree.tree.hop_bytes(ring(16, 10), leaf_of_rank) == order.cost);
  }
}
END_TEST

START_TEST(switches_of_slurms_address) {
  using Names = std::vector<std::string>;
  ck_assert(switches_of_address("core.rack3.n17", "switch.switch.node") == (Names{"core", "rack3"}));
  ck_assert(switches_of_address("rack3.n17.site.org", "switch.node") == (Names{"rack3"}));
  ck_assert(switches_of_address("s[0-1].leaf.n1", "switch.switch.node") == (Names{"s[0-1]", "leaf"}));
  ck_assert(switches_of_address("n17", "node").empty());
  ck_assert(switches_of_address("n17", "switch.node").empty());
  ck_assert(switches_of_address("a..n17", "switch.switch.node").empty());
  ck_assert(switches_of_address("b0.n17", "block.node").empty());
  ck_assert(switches_of_address("a.n17", "switch.switch").empty());
  ck_assert(switches_of_address("", "").empty());
  ck_assert(switches_of_address("a.n1", "").empty());
}
END_TEST

START_TEST(nodes_behind_switches) {
  // Eight nodes have one process each. They belong to two switches in turn; one switch has another switch below it.
  std::vector<ProcessPlace> places(8);
  for (int p = 0; p < 8; ++p) {
    places[p].path[0] = p % 2;
    if (p % 2 == 0) places[p].path[1] = 5;
    places[p].path[ProcessPlace::switch_levels] = 100 + p;
  }
  const RankOrder order = order_ranks(ring(8, 10), places, {});
  ck_assert(order.changed);
  ck_assert(order.natural_cost == 8 * 40);
  ck_assert(order.cost == 2 * 40 + 6 * 20);  // two pairs of the ring are behind different switches, the minimum
  for (ProcessPlace& place : places) place.path[0] = place.path[1] = -1;
  ck_assert(!order_ranks(ring(8, 10), places, {}).changed);
}
END_TEST

START_TEST(treematch_is_never_behind_matching) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t n = 8 + random.below(57);
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 4 * n; ++k)
      edges.push_back({random.below(n), random.below(n), 1 + random.below(1000)});
    const CommMatrix matrix = CommMatrix::from_edges(n, edges);
    std::vector<ProcessPlace> places(static_cast<std::size_t>(n));
    for (ProcessPlace& place : places) place = places_of({{random.below(2), random.below(3), random.below(4)}})[0];
    if (round % 3 == 0)  // pairs of cores in pairs of nodes, for which matching is best
      for (std::int32_t p = 0; p < n; ++p) places[p] = places_of({{p / 4, p / 2, p}})[0];
    OrderOptions matching;
    matching.method = OrderMethod::matching;
    ck_assert(order_ranks(matrix, places, {}).cost <= order_ranks(matrix, places, matching).cost);
  }
}
END_TEST

START_TEST(uneven_nodes) {
  std::vector<ProcessPlace> places(11);
  for (int p = 0; p < 11; ++p) places[p].path[0] = p % 3 == 0 ? 1 : p == 10 ? 3 : 2;
  const RankOrder order = order_ranks(ring(11, 100), places, {});
  ck_assert(is_permutation_of_ranks(order.rank_of_process));
  ck_assert(order.cost <= order.natural_cost);
}
END_TEST

START_TEST(keeps_what_would_not_pay) {
  // The processes are already in blocks, all on one node, without traffic, or there is at most one process.
  std::vector<ProcessPlace> blocks(8);
  for (int p = 0; p < 8; ++p) blocks[p].path[0] = p / 4;
  ck_assert(!order_ranks(ring(8, 5), blocks, {}).changed);
  ck_assert(!order_ranks(ring(8, 5), round_robin(8, 1), {}).changed);
  ck_assert(!order_ranks(CommMatrix::from_edges(8, {}), round_robin(8, 2), {}).changed);
  ck_assert(!order_ranks(CommMatrix::from_edges(1, {}), round_robin(1, 1), {}).changed);
  ck_assert(!order_ranks(CommMatrix::from_edges(0, {}), {}, {}).changed);
  // The gain is less than the required gain.
  OrderOptions greedy;
  greedy.least_gain = 0.99;
  const RankOrder kept = order_ranks(ring(16, 10), round_robin(16, 4), greedy);
  ck_assert(!kept.changed);
  ck_assert(kept.cost == kept.natural_cost);
  ck_assert_int_eq(kept.rank_of_process[5], 5);
}
END_TEST

START_TEST(published_assignment) {
  std::vector<ProcessPlace> places(8);
  for (int p = 0; p < 8; ++p) places[p] = places_of({{p / 4, p / 2 % 2, p % 2}})[0];
  OrderOptions options;
  options.method = OrderMethod::matching;
  const RankOrder order = order_ranks(table_one(), places, options);
  ck_assert(order.changed);
  // pairs (0,6)(1,7)(2,5)(3,4), then (0,6,1,7)(2,5,3,4) [JA §3]
  const auto partner = [&](int rank) {
    const auto at =
        std::find(order.rank_of_process.begin(), order.rank_of_process.end(), rank) - order.rank_of_process.begin();
    return order.rank_of_process[at ^ 1];
  };
  ck_assert_int_eq(partner(0), 6);
  ck_assert_int_eq(partner(1), 7);
  ck_assert_int_eq(partner(2), 5);
  ck_assert_int_eq(partner(3), 4);
}
END_TEST

START_TEST(published_neighbour_file) {
  const std::vector<std::int32_t> order{0, 6, 1, 7, 2, 5, 3, 4};
  const std::vector<std::int32_t> arities{2, 2, 2};
  const auto neighbours = assignment_neighbours(table_one(), order, arities);
  const std::string text = format_neighbours(neighbours);
  ck_assert_str_eq(text.c_str(), "8\n2 6 7\n2 5 7\n2 4 5\n1 4\n2 2 3\n2 1 2\n1 0\n2 0 1\n");
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/neighbours";
  { std::ofstream(path) << text; }
  ck_assert(read_neighbours(path) == neighbours);
  ck_assert_error(assignment_neighbours(table_one(), order, std::vector<std::int32_t>{2, 2}), " 4 leaves");
  // Leaves without a process change nothing, next to processes or below a vertex without processes.
  const std::vector<std::int32_t> sparse{0, 6, -1, 1, 7, -1, 2, 5, -1, 3, 4, -1, -1, -1, -1, -1, -1, -1};
  ck_assert(assignment_neighbours(table_one(), sparse, std::vector<std::int32_t>{6, 3}) ==
            assignment_neighbours(table_one(), order, std::vector<std::int32_t>{4, 2}));
}
END_TEST

START_TEST(files_are_read_strictly) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/file";
  const auto with = [&](const std::string& text) { std::ofstream(path) << text; };
  with("3\n2 4 2\n");
  ck_assert(read_hardware(path) == (std::vector<std::int32_t>{2, 4, 2}));
  ck_assert_text_eq(format_hardware(std::vector<std::int32_t>{2, 4, 2}), "3\n2 4 2\n");
  with("3\n2 4\n");
  ck_assert_error_words(read_hardware(path), "ends arity 3");
  with("2\n2 0\n");
  ck_assert_error_words(read_hardware(path), "'0' arity 2");
  with("2\n2 2 2\n");
  ck_assert_error_words(read_hardware(path), "'2' end");
  with("9\n1 1 1 1 1 1 1 1 1\n");
  ck_assert_error_words(read_hardware(path), "'9' number levels");
  with("2\n100000 100000\n");
  ck_assert_error_words(read_hardware(path), "'100000' arity 2");
  with("2x\n");
  ck_assert_error(read_hardware(path), "'2x'");
  ck_assert_error(read_hardware(scratch.path() + "/none"), "cannot read");
  with("2\n1 1\n1 2\n");
  ck_assert_error_words(read_neighbours(path), "'2' neighbour 1");
  with("2\n1 1\n");
  ck_assert_error_words(read_neighbours(path), "ends degree 1");
  with("");
  ck_assert_error_words(read_neighbours(path), "ends number processes");
}
END_TEST

START_TEST(wrong_sizes) {
  ck_assert_error_words(order_ranks(ring(8, 1), round_robin(7, 2), {}), "8 ranks communicator 7");
}
END_TEST

int main() {
  Suite* suite = suite_create("rank_order");
  TCase* all = tcase_create("all");
  tcase_add_test(all, the_usual_gain);
  tcase_add_test(all, tree_has_only_levels_that_branch);
  tcase_add_test(all, a_ring_goes_around_nodes);
  tcase_add_test(all, switches_of_slurms_address);
  tcase_add_test(all, nodes_behind_switches);
  tcase_add_test(all, treematch_is_never_behind_matching);
  tcase_add_test(all, uneven_nodes);
  tcase_add_test(all, keeps_what_would_not_pay);
  tcase_add_test(all, published_assignment);
  tcase_add_test(all, published_neighbour_file);
  tcase_add_test(all, files_are_read_strictly);
  tcase_add_test(all, wrong_sizes);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

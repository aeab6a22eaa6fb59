// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/link_traffic.hpp"

#include <random>

#include "common/topology/switch_tree.hpp"
#include "tests/check.hpp"

using namespace placement;

namespace {

// Eight nodes of two cores. Each leaf switch s1 to s4 has two nodes; s1 and s2 are behind p1, s3 and s4 behind p2.
ClusterView eight_nodes() {
  std::vector<SwitchShape> switches{{"root", -1, {}}, {"p1", 0, {}}, {"p2", 0, {}}};
  std::vector<NodeShape> nodes;
  for (int leaf = 0; leaf < 4; ++leaf) {
    switches.push_back({"s" + std::to_string(leaf + 1), 1 + leaf / 2, {2 * leaf, 2 * leaf + 1}});
    for (int node = 1; node <= 2; ++node) nodes.push_back({"n" + std::to_string(2 * leaf + node), 1, 2, 1, 1});
  }
  return view_of_switches(switches, nodes);
}

// Returns the text for ranks that each have the first free core of their node.
std::string busiest(const std::vector<std::int32_t>& node_of_rank, std::vector<CommEdge> edges) {
  const ClusterView view = eight_nodes();
  std::vector<std::int32_t> leaf, taken(view.nodes.size());
  for (const std::int32_t node : node_of_rank)
    leaf.push_back(view.nodes[static_cast<std::size_t>(node)].first_leaf + taken[static_cast<std::size_t>(node)]++);
  return busiest_link(view, CommMatrix::from_edges(static_cast<std::int32_t>(node_of_rank.size()), std::move(edges)),
                      node_of_rank, leaf);
}

}  // namespace

START_TEST(traffic_is_counted_where_a_pair_is_separated) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int32_t> parent{-1};
    const int vertices = 2 + static_cast<int>(random() % 20);
    for (int vertex = 1; vertex < vertices; ++vertex)
      parent.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(vertex)));
    const TreeTopology tree = TreeTopology::from_parents(parent);
    std::vector<std::int32_t> leaf;
    for (int rank = 0; rank < 6; ++rank)
      leaf.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(tree.leaves())));
    std::vector<CommEdge> edges;
    for (std::int32_t a = 0; a < 6; ++a)
      for (std::int32_t b = a + 1; b < 6; ++b)
        if (random() % 2) edges.push_back({a, b, static_cast<std::int64_t>(1 + random() % 100)});
    const CommMatrix matrix = CommMatrix::from_edges(6, edges);
    const std::vector<Cost> traffic = link_traffic(tree, matrix, leaf);
    const auto below = [&](std::int32_t vertex, std::int32_t rank) {
      return leaf[rank] >= tree.first_leaf(vertex) && leaf[rank] < tree.first_leaf(vertex) + tree.leaf_count(vertex);
    };
    for (std::int32_t vertex = 1; vertex < tree.vertices(); ++vertex) {
      Cost expected = 0;
      for (const CommEdge& edge : edges)
        if (below(vertex, edge.a) != below(vertex, edge.b)) expected += edge.weight;
      ck_assert(traffic[vertex] == expected);
    }
    ck_assert(traffic[0] == 0);
  }
}
END_TEST

START_TEST(the_busiest_link_is_named_by_the_nodes_below_it) {
  ck_assert(busiest({0, 0}, {{0, 1, 7}}) == "");
  ck_assert(busiest({0, 1}, {{0, 1, 7}}) == "7 bytes above n1");
  ck_assert(busiest({0, 0, 1, 2}, {{0, 2, 3}, {1, 2, 4}, {0, 3, 5}}) == "12 bytes above n1");
  // All traffic passes the links of both pods; n[1-2] and n[3-4] have half of it each.
  ck_assert(busiest({0, 2, 4, 6}, {{0, 2, 10}, {1, 3, 10}}) == "20 bytes above n[1,3]");
  ck_assert(busiest({0, 1}, {}) == "");
}
END_TEST

int main() {
  Suite* const suite = suite_create("link_traffic");
  TCase* const tests = tcase_create("link_traffic");
  tcase_add_test(tests, traffic_is_counted_where_a_pair_is_separated);
  tcase_add_test(tests, the_busiest_link_is_named_by_the_nodes_below_it);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

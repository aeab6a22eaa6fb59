// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/switch_tree.hpp"

#include "tests/words.hpp"

using namespace placement;

namespace {

std::vector<NodeShape> nodes(std::int32_t count, std::int32_t sockets, std::int32_t cores) {
  std::vector<NodeShape> all;
  for (std::int32_t n = 0; n < count; ++n) all.push_back({"n" + std::to_string(n), sockets, cores, 1});
  return all;
}

std::int64_t distance(const ClusterView& view, std::int32_t node, std::int32_t core, std::int32_t other_node,
                      std::int32_t other_core) {
  return view.tree->distance(view.nodes[node].first_leaf + core, view.nodes[other_node].first_leaf + other_core);
}

}  // namespace

START_TEST(two_levels) {  // the machine of [TM §3]
  const std::vector<SwitchShape> switches{{"s0", 2, {0, 1, 2, 3}}, {"s1", 2, {4, 5}}, {"top", -1, {}}};
  const ClusterView view = view_of_switches(switches, nodes(6, 1, 2));
  ck_assert_int_eq(view.tree->leaves(), 12);
  ck_assert_int_eq(view.tree->depth(), 3);
  ck_assert_int_eq(distance(view, 0, 0, 0, 1), 2);
  ck_assert_int_eq(distance(view, 0, 0, 3, 1), 4);
  ck_assert_int_eq(distance(view, 0, 0, 4, 0), 6);
  ck_assert_int_eq(distance(view, 4, 0, 5, 0), 4);
  for (std::int32_t n = 0; n < 6; ++n) {
    ck_assert_int_eq(view.nodes[n].first_leaf, 2 * n);
    ck_assert_text_eq(view.nodes[n].name, "n" + std::to_string(n));
    ck_assert_uint_eq(view.nodes[n].core_free.size(), 2);
    ck_assert(view.nodes[n].core_free[0] && view.nodes[n].core_free[1]);
  }
}
END_TEST

START_TEST(unbalanced_switches) {
  // top - {deep - {s0 - {n0, n1}, s1 - {n2, n3}}, s2 - {n4, n5}}
  const std::vector<SwitchShape> switches{
      {"top", -1, {}}, {"deep", 0, {}}, {"s0", 1, {0, 1}}, {"s1", 1, {2, 3}}, {"s2", 0, {4, 5}}};
  const ClusterView view = view_of_switches(switches, nodes(6, 1, 1));
  ck_assert_int_eq(distance(view, 0, 0, 1, 0), 2);
  ck_assert_int_eq(distance(view, 0, 0, 2, 0), 4);
  ck_assert_int_eq(distance(view, 0, 0, 4, 0), 5);
}
END_TEST

START_TEST(leaves_follow_the_nodes) {
  // The switches are listed in another order than their nodes.
  const std::vector<SwitchShape> switches{{"s1", -1, {3, 2}}, {"s0", -1, {1, 0}}};
  const ClusterView view = view_of_switches(switches, nodes(4, 1, 1));
  for (std::int32_t n = 0; n < 4; ++n) ck_assert_int_eq(view.nodes[n].first_leaf, n);
  // The nodes of two switches alternate. The nodes of the view keep their order; leaves are in the order of the tree.
  const std::vector<SwitchShape> interleaved{{"s0", -1, {1, 3}}, {"s1", -1, {0, 2}}};
  const ClusterView mixed = view_of_switches(interleaved, nodes(4, 1, 2));
  const std::int32_t expected[] = {0, 4, 2, 6};
  for (std::int32_t n = 0; n < 4; ++n) ck_assert_int_eq(mixed.nodes[n].first_leaf, expected[n]);
  ck_assert_int_eq(distance(mixed, 0, 1, 2, 0), 4);
  ck_assert_int_eq(distance(mixed, 0, 1, 1, 0), 6);
}
END_TEST

START_TEST(node_under_two_switches) {
  const std::vector<SwitchShape> two{{"a", -1, {0, 1}}, {"b", -1, {1}}};
  ck_assert_error_words(view_of_switches(two, nodes(2, 1, 1)), "n1 a b");
  const std::vector<SwitchShape> twice{{"a", -1, {1, 1}}};
  ck_assert_error_words(view_of_switches(twice, nodes(2, 1, 1)), "n1 a a");
}
END_TEST

START_TEST(cycles_and_ranges) {
  const std::vector<SwitchShape> self{{"a", 0, {0}}};
  ck_assert_error_words(view_of_switches(self, nodes(1, 1, 1)), "a above itself");
  const std::vector<SwitchShape> ring{{"top", -1, {0}}, {"a", 2, {}}, {"b", 1, {}}};
  ck_assert_error_words(view_of_switches(ring, nodes(1, 1, 1)), "a above itself");
  const std::vector<SwitchShape> far{{"a", 1, {0}}};
  ck_assert_error_words(view_of_switches(far, nodes(1, 1, 1)), "a above number 1 1");
  const std::vector<SwitchShape> negative{{"a", -2, {0}}};
  ck_assert_error(view_of_switches(negative, nodes(1, 1, 1)), "number -2");
  const std::vector<SwitchShape> stranger{{"a", -1, {0, 2}}};
  ck_assert_error_words(view_of_switches(stranger, nodes(2, 1, 1)), "a node number 2 2");
  const std::vector<SwitchShape> below{{"a", -1, {-1}}};
  ck_assert_error(view_of_switches(below, nodes(2, 1, 1)), "node number -1");
}
END_TEST

START_TEST(impossible_nodes) {
  ck_assert_error(view_of_switches({}, {}), "no nodes");
  ck_assert_error(view_of_switches({}, nodes(1, 0, 4)), "node n0 has 0 sockets");
  ck_assert_error_words(view_of_switches({}, nodes(1, 2, -1)), "n0 -1 cores");
  const std::vector<NodeShape> threads{{"x", 1, 1, 0}};
  ck_assert_error_words(view_of_switches({}, threads), "x 0 threads");
  ck_assert_error(view_of_switches({}, nodes(1, INT32_MAX, INT32_MAX)), "more than 16777216 cores");
  ck_assert_error_words(view_of_switches({}, nodes(2, 1, 1 << 24)), "n1 machine");
}
END_TEST

START_TEST(nodes_on_no_switch_hang_on_the_root) {
  const std::vector<SwitchShape> switches{{"s0", -1, {0, 1}}};
  const ClusterView view = view_of_switches(switches, nodes(3, 1, 1));
  ck_assert_int_eq(distance(view, 0, 0, 1, 0), 2);
  ck_assert_int_eq(distance(view, 0, 0, 2, 0), 3);
  const ClusterView flat = view_of_switches({}, nodes(3, 1, 1));
  ck_assert_int_eq(flat.tree->depth(), 1);
  ck_assert_int_eq(distance(flat, 0, 0, 2, 0), 2);
}
END_TEST

START_TEST(fabrics) {
  const auto fabric = [](const ClusterView& view) {
    std::string all;
    for (const NodeView& node : view.nodes) all += std::to_string(node.fabric) + " ";
    return all;
  };
  ck_assert_text_eq(fabric(view_of_switches({}, nodes(3, 1, 1))), "0 0 0 ");
  const std::vector<SwitchShape> one{{"s0", 2, {0}}, {"s1", 2, {2, 1}}, {"top", -1, {}}};
  ck_assert_text_eq(fabric(view_of_switches(one, nodes(3, 1, 1))), "0 0 0 ");
  const std::vector<SwitchShape> two{
      {"b", -1, {3}}, {"a", 3, {0, 2}}, {"empty", -1, {}}, {"top", -1, {}}, {"b2", 0, {1}}};
  ck_assert_text_eq(fabric(view_of_switches(two, nodes(5, 1, 2))), "0 1 0 1 -1 ");
}
END_TEST

START_TEST(a_lone_top_is_the_root) {
  const std::vector<SwitchShape> one{{"s0", -1, {0, 1, 2}}};
  ck_assert_int_eq(view_of_switches(one, nodes(3, 1, 2)).tree->depth(), 2);
  // A chain above the only switch that branches adds nothing.
  const std::vector<SwitchShape> chain{{"s0", 1, {0, 1, 2}}, {"mid", 2, {}}, {"top", -1, {}}};
  const ClusterView view = view_of_switches(chain, nodes(3, 1, 2));
  ck_assert_int_eq(view.tree->depth(), 2);
  ck_assert_int_eq(view.tree->vertices(), 1 + 3 + 6);
  ck_assert_int_eq(distance(view, 0, 0, 2, 0), 4);
}
END_TEST

START_TEST(several_roots) {
  const std::vector<SwitchShape> switches{{"a", -1, {0, 1}}, {"b", -1, {2, 3}}};
  const ClusterView view = view_of_switches(switches, nodes(4, 1, 1));
  ck_assert_int_eq(view.tree->depth(), 2);
  ck_assert_int_eq(distance(view, 0, 0, 1, 0), 2);
  ck_assert_int_eq(distance(view, 1, 0, 2, 0), 4);
}
END_TEST

START_TEST(switches_without_nodes_are_no_leaves) {
  const std::vector<SwitchShape> switches{
      {"top", -1, {}}, {"a", 0, {0, 1}}, {"empty", 0, {}}, {"b", 0, {2, 3}}, {"below", 2, {}}};
  const ClusterView view = view_of_switches(switches, nodes(4, 1, 1));
  ck_assert_int_eq(view.tree->leaves(), 4);
  ck_assert_int_eq(view.tree->vertices(), 7);
}
END_TEST

START_TEST(levels_that_never_branch) {
  // With one node on each leaf switch, the leaf switches add no hops.
  const std::vector<SwitchShape> thin{{"top", -1, {}}, {"a", 0, {0}}, {"b", 0, {1}}};
  ck_assert_int_eq(distance(view_of_switches(thin, nodes(2, 1, 1)), 0, 0, 1, 0), 2);
  // When one leaf switch has two nodes, the level of switches counts for all.
  const std::vector<SwitchShape> thick{{"top", -1, {}}, {"a", 0, {0}}, {"b", 0, {1, 2}}};
  ck_assert_int_eq(distance(view_of_switches(thick, nodes(3, 1, 1)), 0, 0, 1, 0), 4);
  // Nodes of two sockets with one core each: the sockets are the leaves.
  const ClusterView sockets = view_of_switches({}, nodes(2, 2, 1));
  ck_assert_int_eq(sockets.tree->depth(), 2);
  ck_assert_int_eq(distance(sockets, 0, 0, 0, 1), 2);
  ck_assert_int_eq(distance(sockets, 0, 0, 1, 1), 4);
}
END_TEST

START_TEST(sockets_differ) {
  std::vector<NodeShape> shapes{{"fat", 2, 2, 2}, {"flat", 1, 3, 1}, {"tiny", 1, 1, 1}};
  const ClusterView view = view_of_switches({}, shapes);
  ck_assert_int_eq(view.tree->leaves(), 8);
  ck_assert_int_eq(view.nodes[1].first_leaf, 4);
  ck_assert_int_eq(view.nodes[2].first_leaf, 7);
  ck_assert_int_eq(view.nodes[0].threads_per_core, 2);
  ck_assert_int_eq(distance(view, 0, 0, 0, 1), 2);
  ck_assert_int_eq(distance(view, 0, 1, 0, 2), 4);
  ck_assert_int_eq(distance(view, 1, 0, 1, 2), 2);
  ck_assert_int_eq(distance(view, 0, 0, 1, 0), 6);
  ck_assert_int_eq(distance(view, 1, 0, 2, 0), 6);
}
END_TEST

// A socket with several L3 caches has a level for them, also next to nodes without this level [TM §4].
START_TEST(caches_are_a_level) {
  std::vector<NodeShape> shapes{{"many", 2, 8, 2}, {"one", 2, 4, 1}, {"odd", 1, 6, 1}};
  for (NodeShape& shape : shapes) shape.cores_per_cache = 4;
  const ClusterView view = view_of_switches({}, shapes);
  ck_assert_int_eq(view.tree->depth(), 4);
  ck_assert_int_eq(view.nodes[0].cores_per_cache, 4);
  ck_assert_int_eq(distance(view, 0, 4, 0, 7), 2);
  ck_assert_int_eq(distance(view, 0, 3, 0, 4), 4);
  ck_assert_int_eq(distance(view, 0, 7, 0, 8), 6);
  ck_assert_int_eq(distance(view, 0, 0, 1, 0), 8);
  for (const std::int32_t node : {1, 2}) {
    ck_assert_int_eq(view.nodes[node].cores_per_cache, 0);
    ck_assert_int_eq(distance(view, node, 0, node, 3), 2);
  }
  ck_assert_int_eq(distance(view, 1, 3, 1, 4), 6);
  ck_assert_int_eq(distance(view, 2, 3, 2, 4), 2);
  shapes.erase(shapes.begin());
  ck_assert_int_eq(view_of_switches({}, shapes).tree->depth(), 3);
}
END_TEST

START_TEST(single_node_and_single_core) {
  const ClusterView node = view_of_switches({}, nodes(1, 1, 4));
  ck_assert_int_eq(node.tree->depth(), 1);
  ck_assert_int_eq(node.tree->leaves(), 4);
  const std::vector<SwitchShape> switches{{"top", -1, {0}}};
  const ClusterView core = view_of_switches(switches, nodes(1, 1, 1));
  ck_assert_int_eq(core.tree->vertices(), 1);
  ck_assert_int_eq(core.tree->leaves(), 1);
  ck_assert_int_eq(core.nodes[0].first_leaf, 0);
}
END_TEST

START_TEST(distances_per_level) {
  const std::vector<SwitchShape> switches{{"a", -1, {0, 1}}, {"b", -1, {2, 3}}};
  const std::vector<std::int64_t> weights{1, 10, 100};
  const ClusterView view = view_of_switches(switches, nodes(4, 1, 2), weights);
  ck_assert_int_eq(distance(view, 0, 0, 0, 1), 1);
  ck_assert_int_eq(distance(view, 0, 0, 1, 1), 10);
  ck_assert_int_eq(distance(view, 0, 0, 3, 1), 100);
  const std::vector<std::int64_t> short_of_one{1, 10};
  ck_assert_error_words(view_of_switches(switches, nodes(4, 1, 2), short_of_one), "2 distances 3 levels");
}
END_TEST

START_TEST(large_and_deep) {
  // 280 leaf switches of 18 nodes of 16 cores, and a chain of switches that must not exhaust the stack.
  std::vector<SwitchShape> switches{{"top", -1, {}}};
  for (std::int32_t s = 0; s < 280; ++s) {
    SwitchShape leaf{"s" + std::to_string(s), 0, {}};
    for (std::int32_t n = 0; n < 18; ++n) leaf.nodes.push_back(18 * s + n);
    switches.push_back(leaf);
  }
  const ClusterView curie = view_of_switches(switches, nodes(5040, 2, 8));
  ck_assert_int_eq(curie.tree->leaves(), 80640);
  ck_assert_int_eq(curie.tree->depth(), 4);
  ck_assert_int_eq(distance(curie, 0, 0, 5039, 15), 8);

  std::vector<SwitchShape> chain{{"c0", -1, {0}}};
  for (std::int32_t s = 1; s < 200000; ++s) chain.push_back({"c", s - 1, {}});
  chain.back().nodes = {1};
  const ClusterView deep = view_of_switches(chain, nodes(2, 1, 1));
  ck_assert_int_eq(distance(deep, 0, 0, 1, 0), 2);
}
END_TEST

int main() {
  Suite* suite = suite_create("switch_tree");
  TCase* all = tcase_create("all");
  tcase_add_test(all, two_levels);
  tcase_add_test(all, unbalanced_switches);
  tcase_add_test(all, leaves_follow_the_nodes);
  tcase_add_test(all, node_under_two_switches);
  tcase_add_test(all, cycles_and_ranges);
  tcase_add_test(all, impossible_nodes);
  tcase_add_test(all, nodes_on_no_switch_hang_on_the_root);
  tcase_add_test(all, fabrics);
  tcase_add_test(all, a_lone_top_is_the_root);
  tcase_add_test(all, several_roots);
  tcase_add_test(all, switches_without_nodes_are_no_leaves);
  tcase_add_test(all, levels_that_never_branch);
  tcase_add_test(all, sockets_differ);
  tcase_add_test(all, caches_are_a_level);
  tcase_add_test(all, single_node_and_single_core);
  tcase_add_test(all, distances_per_level);
  tcase_add_test(all, large_and_deep);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

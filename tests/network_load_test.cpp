// SPDX-License-Identifier: GPL-2.0-or-later
// What is between the nodes: tables of pairs, snapshots, groups of nodes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "netload/network_load.hpp"
#include "tests/check.hpp"
#include "tests/nla_cases.hpp"

using namespace placement;

START_TEST(mean_of_network_load_is_that_of_a_node_attribute) {
  NlaWeights weights;
  weights.bandwidth = 1;
  const Case cluster = case_7(weights);
  double sum = 0;
  for (std::int32_t u = 0; u < nodes_7; ++u)
    for (std::int32_t v = 0; v < u; ++v) sum += cluster.network.at(u, v);
  ck_assert_double_eq_tol(sum / (nodes_7 * (nodes_7 - 1) / 2), 1.0 / nodes_7, 1e-12);
  ck_assert_double_eq_tol(std::accumulate(cluster.compute.begin(), cluster.compute.end(), 0.0), 0.3, 1e-12);
}
END_TEST

START_TEST(available_and_missing_bandwidth_are_the_same_thing) {
  DensePairs missing, available;
  missing.nodes = available.nodes = 3;
  missing.bandwidth_missing_Bps = {0, 0, 10, 0, 0, 30, 10, 30, 0};
  available.bandwidth_Bps = {0, 100, 90, 100, 0, 70, 90, 70, 0};
  const NetworkLoad a(missing, {}), b(available, {});
  for (std::int32_t u = 0; u < 3; ++u)
    for (std::int32_t v = 0; v < 3; ++v) ck_assert_double_eq_tol(a.at(u, v), b.at(u, v), 1e-15);
  ck_assert_double_eq_tol(a.at(1, 2), 0.75 * 30 / 40, 1e-12);
  ck_assert_double_eq(a.at(0, 1), 0);
}
END_TEST

START_TEST(unknown_pairs_count_as_the_worst) {
  DensePairs pairs;
  pairs.nodes = 3;
  const double no = unknown_value;
  pairs.latency_us = {0, 10, no, 10, 0, 30, no, 30, 0};
  const NetworkLoad network(pairs, {});
  ck_assert_double_eq(network.at(0, 2), network.at(1, 2));
  ck_assert_double_eq_tol(network.at(0, 1), 0.25 * 10 / 20 / 3, 1e-12);
  ck_assert_int_eq(network.known_pairs(), 2);
  pairs.latency_us.assign(9, no);
  const NetworkLoad nothing(pairs, {});
  ck_assert_double_eq(nothing.at(0, 1), 0);
  ck_assert_double_eq(NetworkLoad(3).at(0, 1), 0);
}
END_TEST

START_TEST(no_sum_over_pairs_overflows_or_vanishes) {
  for (const double unit : {1e308, 1.0, 1e-308, 5e-324}) {
    DensePairs pairs;
    pairs.nodes = 4;
    pairs.latency_us.assign(16, unit);
    pairs.bandwidth_missing_Bps.assign(16, unit);
    pairs.latency_us[1] = pairs.latency_us[4] = 0;
    const NetworkLoad network(pairs, {});
    ck_assert_double_eq_tol(network.at(0, 1), 0.75 / 4, 1e-12);
    ck_assert_double_eq_tol(network.at(2, 3), 0.75 / 4 + 0.25 * 6 / 5 / 4, 1e-12);
    ck_assert_double_eq_tol(network.mean_missing_Bps() / unit, 1, 1e-12);
    pairs.bandwidth_missing_Bps.clear();
    pairs.bandwidth_Bps.assign(16, unit);
    pairs.bandwidth_Bps[1] = pairs.bandwidth_Bps[4] = 0;
    const NetworkLoad available(pairs, {});
    ck_assert_double_eq_tol(available.at(0, 1), 0.75 * 6 / 4, 1e-12);  // the one pair that misses anything
    ck_assert_double_eq_tol(available.at(2, 3), 0.25 * 6 / 5 / 4, 1e-12);
  }
  // An infinite value is none.
  DensePairs pairs;
  pairs.nodes = 3;
  const double no = INFINITY;
  pairs.latency_us = {0, 10, no, 10, 0, 30, no, 30, 0};
  const NetworkLoad network(pairs, {});
  ck_assert_double_eq(network.at(0, 2), network.at(1, 2));
  ck_assert_int_eq(network.known_pairs(), 2);
}
END_TEST

START_TEST(a_snapshot_gives_the_same_as_tables) {
  std::mt19937_64 random(11);
  Snapshot snapshot(12);
  DensePairs pairs;
  pairs.nodes = 12;
  for (std::int32_t u = 0; u < 12; ++u)
    for (std::int32_t v = 0; v < u; ++v)
      snapshot.pair(u, v, 40 + static_cast<float>(random() % 40), 1e8F + static_cast<float>(random() % 1024) * 65536);
  pairs.latency_us.assign(snapshot.latency.begin(), snapshot.latency.end());
  pairs.bandwidth_Bps.assign(snapshot.bandwidth.begin(), snapshot.bandwidth.end());
  const NetworkLoad live(snapshot.live.pairs, snapshot.state_of, {}), table(pairs, {});
  for (std::int32_t u = 0; u < 12; ++u)
    for (std::int32_t v = 0; v < 12; ++v) ck_assert_double_eq_tol(live.at(u, v), table.at(u, v), 1e-8);
}
END_TEST

START_TEST(many_nodes_give_the_same_as_few) {
  // Above a thousand nodes nothing is kept of the matrix: compare with tables, row by row.
  constexpr std::int32_t nodes = 1100;
  Snapshot snapshot(nodes);
  std::mt19937_64 random(5);
  for (std::int32_t u = 0; u < nodes; ++u)
    for (std::int32_t v = 0; v < u; ++v)
      snapshot.pair(u, v, random() % 50 == 0 ? NAN : 40 + static_cast<float>(random() % 40),
                    random() % 50 == 0 ? NAN : 5e7F + static_cast<float>(random() % 1024) * 65536);
  const NetworkLoad live(snapshot.live.pairs, snapshot.state_of, {});
  ck_assert(!live.dense());
  DensePairs pairs;
  pairs.nodes = nodes;
  pairs.latency_us.assign(snapshot.latency.begin(), snapshot.latency.end());
  pairs.bandwidth_Bps.assign(snapshot.bandwidth.begin(), snapshot.bandwidth.end());
  const NetworkLoad table(pairs, {});
  const PairFloors& blocks = live.blocks();
  const std::vector<double> base(static_cast<std::size_t>(blocks.padded_blocks()), 0);
  std::vector<double> floor(base.size());
  for (const std::int32_t u : {0, 17, 1099}) {
    live.floors(u, 1, base, floor);
    for (std::int32_t v = 0; v < nodes; ++v) {
      if (u == v) continue;
      ck_assert_double_eq_tol(live.at(u, v), table.at(u, v), 1e-6 / nodes);
      const double least = floor[static_cast<std::size_t>(blocks.block_of(live.columns().column_of(v)))];
      ck_assert_double_le(least, live.at(u, v));
    }
  }
}
END_TEST

START_TEST(groups_of_nodes_and_terms_of_nodes) {
  LiveState live;
  live.nodes.resize(4);
  const std::vector<std::int32_t> group{0, 0, 1, 1}, state_of{0, 1, 2, 3};
  const std::vector<float> latency{10, 40, 40, 20}, bandwidth{100, 50, 50, 100}, more{0, 5, 0, 0}, most{100, 100, 25, 100};
  live.pairs.groups = 2;
  live.pairs.group_of_node = group;
  live.pairs.latency_us = latency;
  live.pairs.bandwidth_Bps = bandwidth;
  live.pairs.node_latency_us = more;
  live.pairs.node_bandwidth_Bps = most;
  const NetworkLoad network(live.pairs, state_of, {});
  // latency: 15, 40, 40, 45, 45, 20; missing of 100: 0, 75, 50, 75, 50, 75
  const double us = 0.25 / (205.0 / 6) / 4, Bps = 0.75 / (325.0 / 6) / 4;
  ck_assert_double_eq_tol(network.at(0, 1), 15 * us, 1e-8);
  ck_assert_double_eq_tol(network.at(1, 2), 45 * us + 75 * Bps, 1e-8);
  ck_assert_double_eq_tol(network.at(3, 2), 20 * us + 75 * Bps, 1e-8);
}
END_TEST

START_TEST(nodes_outside_the_table_have_unknown_pairs) {
  Snapshot snapshot(4);
  snapshot.pair(0, 1, 200, 2e7F);
  const std::vector<std::int32_t> state_of{0, 1, -1, 2, 77};
  const NetworkLoad network(snapshot.live.pairs, state_of, {});
  ck_assert_double_eq(network.at(0, 2), network.at(0, 1));
  ck_assert_double_eq(network.at(2, 4), network.at(0, 1));
  ck_assert_double_lt(network.at(0, 3), network.at(0, 1));
}
END_TEST

START_TEST(a_liar_does_not_hide_the_slow_links_of_others) {
  for (const float lie : {1e12F, -1.0F, NAN}) {
    Snapshot snapshot(8);
    snapshot.pair(0, 1, 150, 3e7F);
    for (std::int32_t v = 0; v < 7; ++v) snapshot.pair(7, v, lie, lie);
    const NetworkLoad network(snapshot.live.pairs, snapshot.state_of, {});
    ck_assert_double_gt(network.at(0, 1), 1.5 * network.at(2, 3));
    ck_assert_double_gt(network.at(0, 1), 0.5 / 8);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("network_load");
  TCase* tables = tcase_create("tables");
  tcase_add_test(tables, mean_of_network_load_is_that_of_a_node_attribute);
  tcase_add_test(tables, available_and_missing_bandwidth_are_the_same_thing);
  tcase_add_test(tables, unknown_pairs_count_as_the_worst);
  tcase_add_test(tables, no_sum_over_pairs_overflows_or_vanishes);
  suite_add_tcase(suite, tables);
  TCase* snapshots = tcase_create("snapshots");
  tcase_add_test(snapshots, a_snapshot_gives_the_same_as_tables);
  tcase_add_test(snapshots, many_nodes_give_the_same_as_few);
  tcase_add_test(snapshots, groups_of_nodes_and_terms_of_nodes);
  tcase_add_test(snapshots, nodes_outside_the_table_have_unknown_pairs);
  tcase_add_test(snapshots, a_liar_does_not_hide_the_slow_links_of_others);
  suite_add_tcase(suite, snapshots);
  return run_suite(suite);
}

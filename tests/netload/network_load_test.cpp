// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the network load between nodes: tables of pairs, snapshots, and groups of nodes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "netload/network_load.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"

using namespace placement;
using namespace placement::netload;

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

START_TEST(available_and_missing_bandwidth_give_equal_loads) {
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
    pairs.bandwidth_missing_Bps.clear();
    pairs.bandwidth_Bps.assign(16, unit);
    pairs.bandwidth_Bps[1] = pairs.bandwidth_Bps[4] = 0;
    const NetworkLoad available(pairs, {});
    ck_assert_double_eq_tol(available.at(0, 1), 0.75 * 6 / 4, 1e-12);  // the only pair below the peak
    ck_assert_double_eq_tol(available.at(2, 3), 0.25 * 6 / 5 / 4, 1e-12);
  }
  // An infinite value counts as not known.
  DensePairs pairs;
  pairs.nodes = 3;
  const double no = INFINITY;
  pairs.latency_us = {0, 10, no, 10, 0, 30, no, 30, 0};
  const NetworkLoad network(pairs, {});
  ck_assert_double_eq(network.at(0, 2), network.at(1, 2));
  ck_assert_int_eq(network.known_pairs(), 2);
}
END_TEST

START_TEST(a_snapshot_and_tables_give_equal_loads) {
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

START_TEST(many_nodes_and_few_give_equal_loads) {
  // For more than a thousand nodes the matrix is not stored. The result is compared row by row with that of a table.
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
  for (const std::int32_t u : {0, 17, 1099})
    for (std::int32_t v = 0; v < nodes; ++v)
      if (u != v) ck_assert_double_eq_tol(live.at(u, v), table.at(u, v), 1e-6 / nodes);
}
END_TEST

START_TEST(groups_of_nodes_and_terms_of_nodes) {
  LiveState live;
  live.nodes.resize(4);
  const std::vector<std::int32_t> group{0, 0, 1, 1}, state_of{0, 1, 2, 3};
  const std::vector<float> latency{10, 40, 40, 20}, bandwidth{100, 50, 50, 100}, more{0, 5, 0, 0},
      most{100, 100, 25, 100};
  live.pairs.groups = 2;
  live.pairs.group_of_node = group;
  live.pairs.latency_us = latency;
  live.pairs.bandwidth_Bps = bandwidth;
  live.pairs.node_latency_us = more;
  live.pairs.node_bandwidth_Bps = most;
  const NetworkLoad network(live.pairs, state_of, {});
  // Latencies: 15, 40, 40, 45, 45, 20. Bandwidth below the peak of 100: 0, 75, 50, 75, 50, 75.
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

namespace {

// Makes a network whose pairs differ by chance only: each measured value is wrong by up to the part `error` of it.
void make_noise(Snapshot& snapshot, double error, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto part = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto nodes = static_cast<std::int32_t>(snapshot.group.size());
  snapshot.tell_errors();
  for (std::int32_t u = 0; u < nodes; ++u)
    for (std::int32_t v = 0; v < u; ++v) {
      snapshot.pair(u, v, static_cast<float>(50 * (1 + error * (2 * part() - 1))),
                    static_cast<float>(1e8 * (1 + error * (2 * part() - 1))));
      snapshot.error(u, v, static_cast<float>(50 * error * (0.5 + part())),
                     static_cast<float>(1e8 * error * (0.5 + part())));
    }
}

NetworkLoad beyond_error(const Snapshot& snapshot) {
  return {snapshot.live.pairs, snapshot.state_of, {}, Deadline::never(), WithinError::counts_nothing};
}

// Returns the compute load of nodes. The first `busy` nodes have three times the load of the others.
std::vector<double> compute_of(std::int32_t nodes, std::int32_t busy) {
  std::vector<double> load;
  for (std::int32_t n = 0; n < nodes; ++n) load.push_back((n < busy ? 3.0 : 1.0) / (nodes + 2 * busy));
  return load;
}

std::vector<std::int32_t> chosen(const NetworkLoad& network, std::int32_t nodes, std::int32_t busy) {
  const std::vector<double> compute = compute_of(nodes, busy);
  const std::vector<std::int32_t> processors(static_cast<std::size_t>(nodes), 1);
  return choose_group({compute, &network, processors}, processes(4), GroupSearch::improved).best.nodes;
}

std::ptrdiff_t below(const std::vector<std::int32_t>& nodes, std::int32_t bound) {
  return std::count_if(nodes.begin(), nodes.end(), [&](std::int32_t node) { return node < bound; });
}

}  // namespace

START_TEST(differences_within_the_error_do_not_decide) {
  std::ptrdiff_t busy_by_noise = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Snapshot snapshot(12);
    make_noise(snapshot, 0.3, seed);
    const NetworkLoad measured(snapshot.live.pairs, snapshot.state_of, {}), even = beyond_error(snapshot);
    busy_by_noise += below(chosen(measured, 12, 6), 6);
    ck_assert_int_eq(below(chosen(even, 12, 6), 6), 0);
    // The scale does not change: each pair has about the mean of all pairs.
    double sum = 0, least = INFINITY, most = 0;
    for (std::int32_t u = 0; u < 12; ++u)
      for (std::int32_t v = 0; v < u; ++v) {
        sum += even.at(u, v);
        least = std::min(least, even.at(u, v));
        most = std::max(most, even.at(u, v));
        ck_assert_double_eq(even.at(u, v), even.at(v, u));
      }
    ck_assert_double_eq_tol(sum / 66 * 12, 1, 0.2);
    ck_assert_double_le(most, even.most());
    ck_assert_double_lt(most - least, 0.1 / 12);
  }
  ck_assert_int_gt(busy_by_noise, 0);  // otherwise the cases would show nothing
}
END_TEST

// doc/netload.md: latencies and bandwidths that differ from the median by less than twice the error of their
// measurement count as the median.
START_TEST(a_value_counts_from_twice_its_error_on) {
  for (const bool of_latency : {true, false})
    for (const double errors : {1.9, 2.1}) {
      Snapshot snapshot(8);
      snapshot.tell_errors();
      for (std::int32_t u = 0; u < 8; ++u)
        for (std::int32_t v = 0; v < u; ++v) {
          snapshot.pair(u, v, 100, 1e8F);
          snapshot.error(u, v, 10, 1e7F);
        }
      const auto more = static_cast<float>(errors);
      if (of_latency)
        snapshot.pair(0, 1, 100 + 10 * more, 1e8F);
      else
        snapshot.pair(0, 1, 100, 1e8F - 1e7F * more);
      const NetworkLoad network = beyond_error(snapshot);
      if (errors < 2)
        ck_assert_double_eq(network.at(0, 1), network.at(2, 3));
      else
        ck_assert_double_gt(network.at(0, 1), network.at(2, 3));
    }
}
END_TEST

START_TEST(a_slow_link_is_avoided_however_noisy) {
  for (const std::int32_t slow : {1, 2, 4})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Snapshot snapshot(12);
      make_noise(snapshot, 0.2, seed);
      // The last nodes have a tenth of the bandwidth, with large errors too; the first four nodes are loaded.
      for (std::int32_t u = 12 - slow; u < 12; ++u)
        for (std::int32_t v = 0; v < u; ++v) {
          const auto more = static_cast<float>((u * v + static_cast<std::int32_t>(seed)) % 10);
          snapshot.pair(u, v, 50, 1e7F + 4e5F * more);
          snapshot.error(u, v, 10, 2e6F);
        }
      const std::vector<std::int32_t> nodes = chosen(beyond_error(snapshot), 12, 4);
      ck_assert_int_eq(below(nodes, 12 - slow), 4);
      if (slow < 4) ck_assert_int_eq(below(nodes, 4), 0);
    }
}
END_TEST

START_TEST(a_few_good_links_among_many_slow_ones_are_found) {
  // Only few pairs are good, so a variance over all pairs would not show them.
  Snapshot snapshot(60);
  make_noise(snapshot, 0.2, 3);
  for (const std::int32_t u : {7, 23, 41, 58})
    for (const std::int32_t v : {7, 23, 41, 58})
      if (u < v) snapshot.pair(u, v, 50, 2.5e8F);
  ck_assert(chosen(beyond_error(snapshot), 60, 0) == (std::vector<std::int32_t>{7, 23, 41, 58}));
}
END_TEST

START_TEST(values_without_a_known_error) {
  Snapshot snapshot(8);
  make_noise(snapshot, 0.3, 1);
  const NetworkLoad measured(snapshot.live.pairs, snapshot.state_of, {});
  // No error is known, as for tables and in the first round of a monitor. The values do not change.
  for (std::int32_t u = 0; u < 8; ++u)
    for (std::int32_t v = 0; v < u; ++v) snapshot.error(u, v, NAN, NAN);
  const NetworkLoad same = beyond_error(snapshot);
  for (std::int32_t u = 0; u < 8; ++u)
    for (std::int32_t v = 0; v < 8; ++v) ck_assert_double_eq(same.at(u, v), measured.at(u, v));
  // The error of one pair is used for pairs that were measured once, but not for pairs that were not measured.
  snapshot.error(0, 1, 1000, 1e9F);
  snapshot.forget_predictor(2, 3);
  const NetworkLoad one = beyond_error(snapshot);
  ck_assert_double_eq(one.at(0, 1), one.at(4, 5));
  ck_assert_double_eq(one.at(0, 1), one.at(6, 7));
  ck_assert_double_eq(one.at(2, 3), measured.at(2, 3));
}
END_TEST

START_TEST(a_liar_about_errors_hides_no_slow_link) {
  for (const float lie : {0.0F, 1e30F, INFINITY, -1.0F}) {
    Snapshot snapshot(8);
    make_noise(snapshot, 0.05, 1);
    snapshot.pair(0, 1, 150, 1e7F);
    for (std::int32_t v = 0; v < 7; ++v) snapshot.error(7, v, lie, lie);
    const NetworkLoad network = beyond_error(snapshot);
    ck_assert_double_gt(network.at(0, 1), 2 * network.at(2, 3));
    for (std::int32_t v = 0; v < 7; ++v) ck_assert(network.at(7, v) >= 0 && network.at(7, v) <= network.most());
  }
}
END_TEST

START_TEST(errors_of_many_nodes) {
  // Errors are also used for more than 256 nodes, up to the number for which a monitor may measure each pair. The
  // deadline is kept.
  Snapshot snapshot(300);
  make_noise(snapshot, 0.3, 1);
  ck_assert(beyond_error(snapshot).dense());
  ck_assert_int_eq(below(chosen(beyond_error(snapshot), 300, 290), 290), 0);
  ck_assert_error(NetworkLoad(snapshot.live.pairs, snapshot.state_of, {}, Deadline::after(std::chrono::microseconds(0)),
                              WithinError::counts_nothing),
                  "no time");
  Snapshot large(1025);
  large.tell_errors();
  large.error(0, 1, 1, 1);
  ck_assert(!beyond_error(large).dense());
}
END_TEST

int main() {
  Suite* suite = suite_create("network_load");
  TCase* tables = tcase_create("tables");
  tcase_add_test(tables, mean_of_network_load_is_that_of_a_node_attribute);
  tcase_add_test(tables, available_and_missing_bandwidth_give_equal_loads);
  tcase_add_test(tables, unknown_pairs_count_as_the_worst);
  tcase_add_test(tables, no_sum_over_pairs_overflows_or_vanishes);
  suite_add_tcase(suite, tables);
  TCase* snapshots = tcase_create("snapshots");
  tcase_add_test(snapshots, a_snapshot_and_tables_give_equal_loads);
  tcase_add_test(snapshots, many_nodes_and_few_give_equal_loads);
  tcase_add_test(snapshots, groups_of_nodes_and_terms_of_nodes);
  tcase_add_test(snapshots, nodes_outside_the_table_have_unknown_pairs);
  tcase_add_test(snapshots, a_liar_does_not_hide_the_slow_links_of_others);
  suite_add_tcase(suite, snapshots);
  TCase* errors = tcase_create("errors");
  tcase_add_test(errors, differences_within_the_error_do_not_decide);
  tcase_add_test(errors, a_value_counts_from_twice_its_error_on);
  tcase_add_test(errors, a_slow_link_is_avoided_however_noisy);
  tcase_add_test(errors, a_few_good_links_among_many_slow_ones_are_found);
  tcase_add_test(errors, values_without_a_known_error);
  tcase_add_test(errors, a_liar_about_errors_hides_no_slow_link);
  tcase_add_test(errors, errors_of_many_nodes);
  suite_add_tcase(suite, errors);
  return run_suite(suite);
}

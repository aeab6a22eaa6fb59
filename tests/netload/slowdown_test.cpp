// SPDX-License-Identifier: GPL-2.0-or-later
// Policy NLA takes no node that is much slower than those of the fastest group.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "netload/selection.hpp"
#include "netload/slowdown.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"

using namespace placement;
using namespace placement::netload;

START_TEST(clock_and_crowding_slow_a_node_down) {
  NodeTable table;
  table.nodes = 4;
  table[NodeAttribute::frequency] = {4000, 2000, 4000, NAN};
  const std::vector<double> cores{8, 8, 8, 8}, load{4, 0, 12, 0};
  const std::vector<std::int32_t> processors{4, 4, 4, 4};
  const std::vector<double> slow = slowdown_of_nodes(table, cores, load, processors);
  ck_assert_double_eq_tol(slow[1] / slow[0], 2, 1e-9);  // half the clock
  ck_assert_double_eq_tol(slow[2] / slow[0], 2, 1e-9);  // 16 processes on 8 cores
  ck_assert_double_eq_tol(slow[3] / slow[1], 1, 1e-9);  // unknown counts as the worst known
}
END_TEST

START_TEST(nothing_is_left_out_where_nothing_tells_nodes_apart) {
  NodeTable table;
  table.nodes = 2;
  const std::vector<std::int32_t> processors{4, 4};
  ck_assert(slowdown_of_nodes(table, {}, {}, processors).empty());
  const std::vector<double> cores{8, 8}, load{1, 3};
  ck_assert(slowdown_of_nodes(table, cores, load, processors).empty());
  for (const char* key : {"alpha", "beta"}) ck_assert(!rule_for_slow_nodes({{key, "0.5"}}, NlaWeights()).leaves_out());
  const auto by_profile = [](double alpha) {
    NlaWeights weights;
    weights.alpha = alpha;
    weights.beta = 1 - alpha;
    return rule_for_slow_nodes({{"network-use", "x"}}, weights);
  };
  ck_assert(!by_profile(0).leaves_out());
  ck_assert_double_eq(by_profile(0.2).weights.alpha, 0.2);
  ck_assert_double_eq(by_profile(0.9).weights.alpha, 0.3);
  ck_assert_double_eq(by_profile(0.9).weights.beta, 0.7);
  ck_assert_double_eq(by_profile(1).weights.alpha, 1);
  // alpha and beta of 0.1 and 0.9 stand for a program that computes a quarter of the time: nodes that are 1.4 times as
  // slow add a tenth to its run time.
  ck_assert_double_eq_tol(by_profile(0.1).most_slower, 1.4, 1e-9);
  ck_assert_double_eq_tol(by_profile(0.5).most_slower, 1.2, 1e-9);
  ck_assert_double_eq_tol(by_profile(1).most_slower, 1.1, 1e-9);
  for (const Parameters& parameters : {Parameters{}, Parameters{{"latency", "0.5"}}})
    ck_assert_double_eq_tol(rule_for_slow_nodes(parameters, NlaWeights()).most_slower, 1.1, 1e-9);
}
END_TEST

START_TEST(required_nodes_stay_candidates) {
  const std::vector<double> slow{1, 2, 1, 3};
  const std::vector<std::int32_t> processors{4, 4, 4, 4}, group{0, 2, 3}, required{3};
  ck_assert(
      (processors_of_fast_nodes(group, slow, 1.1, processors, required) == std::vector<std::int32_t>{4, 0, 4, 4}));
}
END_TEST

// In 200 random clusters the choice is never much slower than that of load-aware, and without slowdowns it often is.
START_TEST(never_much_slower_than_load_aware) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr double most_slower = 1.1;
  int slower_without = 0;
  for (int round = 0; round < 200; ++round) {
    constexpr int nodes = 12;
    NodeTable table;
    table.nodes = nodes;
    std::vector<double> cores(nodes, 8), load, frequency;
    for (int n = 0; n < nodes; ++n) {
      load.push_back(10 * unit(random) * unit(random));
      frequency.push_back(n % 3 == 2 ? 2800 : 4600);
    }
    table[NodeAttribute::cpu_load] = load;
    table[NodeAttribute::frequency] = frequency;
    DensePairs pairs;
    pairs.nodes = nodes;
    pairs.bandwidth_missing_Bps.assign(nodes * nodes, 0);
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < a; ++b)
        pairs.bandwidth_missing_Bps[a * nodes + b] = pairs.bandwidth_missing_Bps[b * nodes + a] = unit(random);
    const NlaWeights weights;
    const Case made{compute_load(table, weights), NetworkLoad(pairs, weights), std::vector<std::int32_t>(nodes, 4)};
    GroupInput input = made.input();
    const std::vector<double> slow = slowdown_of_nodes(table, cores, load, made.processors);
    const auto slowest = [&](const Group& group) {
      double most = 0;
      for (const std::int32_t node : group.nodes) most = std::max(most, slow.empty() ? 1 : slow[node]);
      return most;
    };
    const double limit = slowest(select_group(input, processes(16), SelectionRule::load_aware).best);
    slower_without += slowest(select_group(input, processes(16), SelectionRule::nla).best) > limit * most_slower;
    input.slowdown = slow;
    input.most_slower = most_slower;
    ck_assert_double_le(slowest(select_group(input, processes(16), SelectionRule::nla).best),
                        limit * most_slower * (1 + 1e-6));
    // The published algorithm stays as it is.
    ck_assert(select_group(input, processes(16), SelectionRule::nla_paper).best.nodes ==
              select_group(made.input(), processes(16), SelectionRule::nla_paper).best.nodes);
  }
  ck_assert_int_gt(slower_without, 20);
}
END_TEST

int main() {
  Suite* suite = suite_create("slowdown");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, clock_and_crowding_slow_a_node_down);
  tcase_add_test(all, nothing_is_left_out_where_nothing_tells_nodes_apart);
  tcase_add_test(all, required_nodes_stay_candidates);
  tcase_add_test(all, never_much_slower_than_load_aware);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the compute load of nodes, and of the processors that it leaves.
#include <cmath>

#include "netload/live_input.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"

using namespace placement;
using namespace placement::netload;

START_TEST(compute_load_by_hand) {
  NodeTable table;
  table.nodes = 3;
  table[NodeAttribute::cpu_load] = {1, 2, 5};
  table[NodeAttribute::cores] = {8, 4, 12};  // maximised
  table[NodeAttribute::users] = {0, 0, 0};   // sum 0
  NlaWeights weights;
  weights.attribute[static_cast<std::size_t>(NodeAttribute::users)] = 5;
  const std::vector<double> load = compute_load(table, weights);
  const double expected[] = {0.3 / 8 + 0.1 * 4 / 24, 0.6 / 8 + 0.1 * 8 / 24, 1.5 / 8};
  for (std::size_t n = 0; n < 3; ++n) ck_assert_double_eq_tol(load[n], expected[n], 1e-12);
}
END_TEST

START_TEST(unknown_attributes_count_as_the_worst) {
  NodeTable table;
  table.nodes = 4;
  table[NodeAttribute::cpu_load] = {1, unknown_value, 3, 2};
  table[NodeAttribute::cores] = {4, 8, unknown_value, 12};
  const std::vector<double> load = compute_load(table, {});
  ck_assert_double_eq_tol(load[1] - 0.1 * 4 / 32, 0.3 * 3 / 8, 1e-12);
  ck_assert_double_eq_tol(load[2] - 0.3 * 3 / 8, 0.1 * 8 / 32, 1e-12);
  table[NodeAttribute::cpu_load].assign(4, unknown_value);
  table[NodeAttribute::cores].clear();
  for (const double value : compute_load(table, {})) ck_assert_double_eq(value, 0);
}
END_TEST

START_TEST(huge_attributes_do_not_overflow) {
  NodeTable table;
  table.nodes = 2;
  table[NodeAttribute::cpu_load] = {1e308, 1e308};
  for (const double value : compute_load(table, {})) ck_assert_double_eq_tol(value, 0.15, 1e-12);
}
END_TEST

START_TEST(processors_left_by_a_load) {
  ck_assert_int_eq(effective_processors(12, 0), 12);
  ck_assert_int_eq(effective_processors(12, 0.68), 11);
  ck_assert_int_eq(effective_processors(12, 5.19), 6);
  ck_assert_int_eq(effective_processors(12, 12), 1);  // the printed formula gives 12
  ck_assert_int_eq(effective_processors(12, 11.5), 1);
  ck_assert_int_eq(effective_processors(12, 40), 1);
  ck_assert_int_eq(effective_processors(12, 40, 3), 3);
  ck_assert_int_eq(effective_processors(12, 12, 1, ProcessorFormula::printed), 12);
  ck_assert_int_eq(effective_processors(12, 13.5, 1, ProcessorFormula::printed), 10);
  ck_assert_int_eq(effective_processors(unknown_value, 0), 1);
  ck_assert_int_eq(effective_processors(8, unknown_value), 8);
  ck_assert_int_eq(effective_processors(8, -3), 8);
  ck_assert_int_eq(effective_processors(1e300, 0), 1 << 24);
}
END_TEST

START_TEST(a_liar_harms_only_its_own_rank) {
  for (const double lie : {1e12, -5.0, static_cast<double>(INFINITY), 0.0}) {
    Snapshot honest(10);
    for (std::size_t n = 0; n < 10; ++n) {
      const double load = 0.5 * static_cast<double>(n);
      honest.live.nodes[n].cpu_load = {load, load, load};
    }
    Snapshot lied = honest;
    NodeState& liar = lied.live.nodes[9];
    liar.cpu_load = liar.cpu_utilisation = liar.flow_rate_Bps = liar.users = {lie, lie, lie};
    liar.memory_available_MiB = {lie, lie, lie};
    liar.memory_MiB = liar.frequency_MHz = liar.cores = lie;
    const std::vector<double> cores(10, 8);
    const std::vector<double> load = compute_load(live_attributes(lied.live, lied.state_of, cores), {});
    for (std::size_t n = 1; n < 9; ++n) {
      ck_assert_double_gt(load[n], load[n - 1]);  // the order of the honest nodes remains
      // The difference remains at least half of what it was, so that it still counts.
      const std::vector<double> before = compute_load(live_attributes(honest.live, honest.state_of, cores), {});
      ck_assert_double_gt(load[n] - load[n - 1], 0.5 * (before[n] - before[n - 1]));
    }
  }
}
END_TEST

// Slurm knows on which nodes its jobs run. A node with a job cannot hide the load of it.
START_TEST(load_of_jobs_cannot_be_hidden) {
  const auto load_column = [](const Snapshot& snapshot, const std::vector<double>& busy) {
    const std::vector<double> cores(snapshot.live.nodes.size(), 8);
    const NodeTable table = live_attributes(snapshot.live, snapshot.state_of, cores, busy);
    return table.columns[static_cast<std::size_t>(NodeAttribute::cpu_load)];
  };
  Snapshot snapshot(6);
  const double told[] = {4, 4, 2, 0, 0, unknown_value};  // node 3 reports too little; node 4 has no job
  for (std::size_t n = 0; n < 6; ++n) snapshot.live.nodes[n].cpu_load = {told[n], told[n], told[n]};
  const std::vector<double> busy = {4, 4, 2, 4, 0, 4};
  const std::vector<double> column = load_column(snapshot, busy);
  ck_assert_double_eq(column[3], 2);  // half of the load that four processors cause elsewhere
  ck_assert_double_eq(column[0], 4);
  ck_assert_double_eq(column[2], 2);
  ck_assert_double_eq(column[4], 0);
  ck_assert(std::isnan(column[5]));
  ck_assert_double_eq(load_column(snapshot, {})[3], 0);
  // Reported values are kept when most jobs cause no load, and when too few nodes have jobs.
  ck_assert_double_eq(load_column(snapshot, {0, 0, 2, 4, 4, 4})[3], 0);
  ck_assert_double_eq(load_column(snapshot, {4, 0, 0, 4, 0, 0})[3], 0);
}
END_TEST

START_TEST(only_load_beyond_slurms_counts) {
  NodeState node;
  ck_assert(std::isnan(load_beyond_slurm(node)));
  node.cpu_load = {4, 4, 4};
  ck_assert_double_eq_tol(load_beyond_slurm(node), 3.8, 1e-12);
  node.slurm_load = {3, 3, 3};
  ck_assert_double_eq_tol(load_beyond_slurm(node), 0.8, 1e-12);
  node.slurm_load = {9, 9, 9};
  ck_assert_double_eq(load_beyond_slurm(node), 0);
  node.cpu_load = {2, unknown_value, unknown_value};
  node.slurm_load = {};
  ck_assert_double_eq_tol(load_beyond_slurm(node), 1.8, 1e-12);
}
END_TEST

START_TEST(coverage_of_a_snapshot) {
  Snapshot snapshot(4);
  snapshot.live.nodes[1].cpu_load = {};
  snapshot.live.nodes[2].age_s = 40;
  const std::vector<std::int32_t> state_of{0, 1, 2, -1};
  const LiveCoverage coverage = live_coverage(snapshot.live, state_of);
  ck_assert_int_eq(coverage.candidates, 4);
  ck_assert_int_eq(coverage.reporting, 2);
  ck_assert_double_eq(coverage.oldest_s, 40);
}
END_TEST

START_TEST(unknown_load_counts_as_the_worst_known) {
  const double no = unknown_value;
  ck_assert(worst_where_unknown({1, no, 5, no}) == (std::vector<double>{1, 5, 5, 5}));
  ck_assert(worst_where_unknown({0, no}) == (std::vector<double>{0, 0}));
  ck_assert(worst_where_unknown({1, no, 5, no}, 3) == (std::vector<double>{1, 3, 5, 3}));  // the known 5 is not limited
  ck_assert(worst_where_unknown({}).empty());
  ck_assert(std::isnan(worst_where_unknown({no, no})[1]));  // no value is known
  // A silent node is not better than the busiest known node, in load and in processors.
  Snapshot snapshot(4);
  snapshot.live.nodes[1].cpu_load = {6, 6, 6};
  snapshot.live.nodes[2].cpu_load = {};
  const std::vector<std::int32_t> state_of{0, 1, 2, -1};
  const std::vector<double> load = loads_beyond_slurm(snapshot.live, state_of);
  ck_assert_double_eq_tol(load[0], 0.8, 1e-12);
  for (const std::size_t n : {1U, 2U, 3U}) ck_assert_double_eq_tol(load[n], 5.8, 1e-12);
  const std::vector<double> compute = compute_load(live_attributes(snapshot.live, state_of), {});
  ck_assert_double_ge(compute[2], compute[1]);
  ck_assert_double_ge(compute[3], compute[1]);
}
END_TEST

START_TEST(one_node_does_not_take_the_processors_of_silent_ones) {
  Snapshot snapshot(12);
  snapshot.live.nodes[0].cpu_load = {1e12, 1e12, 1e12};
  snapshot.live.nodes[1].cpu_load = {};
  const std::vector<double> load = loads_beyond_slurm(snapshot.live, snapshot.state_of);
  ck_assert_double_gt(load[0], 1e11);  // its own report counts for itself
  ck_assert_double_le(load[1], 16);
  ck_assert_double_eq_tol(load[2], 0.8, 1e-12);
}
END_TEST

int main() {
  Suite* suite = suite_create("compute_load");
  TCase* loads = tcase_create("loads");
  tcase_add_test(loads, compute_load_by_hand);
  tcase_add_test(loads, unknown_attributes_count_as_the_worst);
  tcase_add_test(loads, huge_attributes_do_not_overflow);
  tcase_add_test(loads, processors_left_by_a_load);
  tcase_add_test(loads, unknown_load_counts_as_the_worst_known);
  tcase_add_test(loads, one_node_does_not_take_the_processors_of_silent_ones);
  suite_add_tcase(suite, loads);
  TCase* snapshots = tcase_create("snapshots");
  tcase_add_test(snapshots, a_liar_harms_only_its_own_rank);
  tcase_add_test(snapshots, only_load_beyond_slurms_counts);
  tcase_add_test(snapshots, load_of_jobs_cannot_be_hidden);
  tcase_add_test(snapshots, coverage_of_a_snapshot);
  suite_add_tcase(suite, snapshots);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// How compactly running jobs lie on a machine, and the free rest of it.
#include "sim/occupancy.hpp"

#include "common/topology/switch_tree.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

// Two leaf switches with two nodes of four cores each: leaves 0-7 below the first, 8-15 below the second.
ClusterView two_switches() { return machine_of({2, 2}, 1, 4).view(); }

}  // namespace

START_TEST(an_idle_machine) {
  const Occupancy now = occupancy_of(two_switches(), {});
  ck_assert_int_eq(now.usable_cores, 16);
  ck_assert_int_eq(now.free_cores, 16);
  ck_assert_int_eq(now.largest_in_switch, 8);
  ck_assert_int_eq(now.largest_in_subtree, 8);
  ck_assert_int_eq(now.jobs, 0);
  ck_assert(now.switches == 0 && now.extra_switches == 0);
}
END_TEST

START_TEST(nodes_of_one_socket_beside_those_of_two) {
  const std::vector<SwitchShape> switches{{"a", 2, {0, 1}}, {"b", 2, {2, 3, 4}}, {"root", -1, {}}};
  const std::vector<NodeShape> nodes{
      {"n0", 2, 2, 1}, {"n1", 2, 2, 1}, {"n2", 1, 3, 1}, {"n3", 1, 3, 1}, {"n4", 1, 3, 1}};
  // The job on n2 and n3 is on one leaf switch.
  const Occupancy now =
      occupancy_of(view_of_switches(switches, nodes), std::vector<std::vector<std::int32_t>>{{8, 11}});
  ck_assert(now.switches == 1 && now.extra_switches == 0);
  ck_assert_int_eq(now.spread_jobs, 0);
  ck_assert_int_eq(now.largest_in_switch, 8);
}
END_TEST

START_TEST(jobs_within_and_across_switches) {
  // The first job needs one switch and has one, the second needs one and has two, the third needs two.
  const std::vector<std::vector<std::int32_t>> jobs{{0, 1}, {2, 8}, {3, 4, 5, 9, 10, 11, 12, 13, 14}, {}};
  const Occupancy now = occupancy_of(two_switches(), jobs);
  ck_assert_int_eq(now.jobs, 3);
  ck_assert_int_eq(now.spread_jobs, 1);
  ck_assert(now.switches == 5.0 / 3 && now.extra_switches == 1.0 / 3);
  ck_assert_int_eq(now.free_cores, 3);
  ck_assert_int_eq(now.largest_in_switch, 2);
}
END_TEST

START_TEST(nodes_that_take_no_job_are_not_free) {
  ClusterView view = two_switches();
  view.nodes[0].core_free.assign(4, false);
  view.nodes[1].core_free.assign(4, false);
  const Occupancy now = occupancy_of(view, std::vector<std::vector<std::int32_t>>{{0}});  // its job still runs
  ck_assert_int_eq(now.usable_cores, 8);
  ck_assert_int_eq(now.free_cores, 8);
  ck_assert_int_eq(now.largest_in_switch, 8);
  ck_assert_int_eq(now.jobs, 1);
  for (NodeView& node : view.nodes) node.core_free.assign(4, false);
  ck_assert_int_eq(occupancy_of(view, {}).largest_in_subtree, 0);
}
END_TEST

START_TEST(a_core_of_several_jobs_counts_once) {
  const Occupancy now = occupancy_of(two_switches(), std::vector<std::vector<std::int32_t>>{{0, 1}, {1, 2}});
  ck_assert_int_eq(now.free_cores, 13);
  ck_assert_int_eq(now.jobs, 2);
}
END_TEST

START_TEST(a_leaf_outside_the_machine) {
  ck_assert_error_words(occupancy_of(two_switches(), std::vector<std::vector<std::int32_t>>{{16}}), "leaf 16 node");
  ck_assert_error_words(occupancy_of(two_switches(), std::vector<std::vector<std::int32_t>>{{-1}}), "leaf -1 node");
}
END_TEST

int main() {
  Suite* const suite = suite_create("occupancy");
  TCase* const tests = tcase_create("occupancy");
  tcase_add_test(tests, an_idle_machine);
  tcase_add_test(tests, nodes_of_one_socket_beside_those_of_two);
  tcase_add_test(tests, jobs_within_and_across_switches);
  tcase_add_test(tests, nodes_that_take_no_job_are_not_free);
  tcase_add_test(tests, a_core_of_several_jobs_counts_once);
  tcase_add_test(tests, a_leaf_outside_the_machine);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

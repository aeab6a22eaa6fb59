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

namespace {

LogJob past_job(std::int64_t submit_s, std::int64_t wait_s, std::int64_t run_s, std::int32_t tasks,
                const std::string& nodes) {
  LogJob job;
  job.submit_s = submit_s;
  job.wait_s = wait_s;
  job.run_s = run_s;
  job.tasks = tasks;
  job.nodes = nodes;
  return job;
}

}  // namespace

START_TEST(what_a_log_tells_of_the_past) {
  const Machine machine(two_switches());
  const auto name = [&](std::size_t node) { return machine.view().nodes[node].name; };
  const std::vector<LogJob> jobs = {
      past_job(0, 10, 20, 4, name(0) + "," + name(2)),  // two cores on each, from 10 to 30
      past_job(5, 15, 10, 4, name(0)),                  // from 20 to 30, two of its cores are in use already
      past_job(5, -1, 10, 4, name(1)),                  // when it started is not known
      past_job(5, 0, 10, 4, ""),
      past_job(5, 0, 10, 4, "elsewhere[1-4]"),
      past_job(5, 0, 10, 4, "n[1-"),
  };
  const PastOccupancy past = past_occupancy(machine, jobs, 0, 40);
  ck_assert_int_eq(past.jobs, 2);
  ck_assert_int_eq(past.unknown, 4);
  ck_assert_uint_eq(past.samples.size(), 40);
  const auto is = [&](std::size_t second, std::int64_t busy, std::int64_t in_switch) {
    ck_assert_int_eq(past.samples[second].time_us, static_cast<std::int64_t>(second) * 1000000);
    ck_assert_int_eq(past.samples[second].busy_cores, busy);
    ck_assert_int_eq(past.samples[second].largest_in_switch, in_switch);
  };
  is(0, 0, 8);
  is(10, 4, 6);
  is(20, 6, 6);  // two free below the first switch, six below the second
  is(30, 0, 8);
  is(39, 0, 8);
  // A job that ran before is there from the start, and at most most_past_samples are made.
  const PastOccupancy later = past_occupancy(machine, jobs, 15, 15 + 5 * most_past_samples);
  ck_assert_uint_eq(later.samples.size(), static_cast<std::size_t>(most_past_samples));
  ck_assert_int_eq(later.samples[0].busy_cores, 4);
  ck_assert_int_eq(later.samples[1].time_us, 20000000);
  ck_assert(past_occupancy(machine, std::span(jobs).subspan(2), 0, 40).samples.empty());
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
  tcase_add_test(tests, what_a_log_tells_of_the_past);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

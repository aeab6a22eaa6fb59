// SPDX-License-Identifier: GPL-2.0-or-later
// Plans of named nodes, as Slurm's backfill plugin makes them.
#include "sim/backfill.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

constexpr std::int64_t minute_us = 60'000'000;

// A machine with jobs on it: each has these leaves until its requested time has passed.
struct Busy {
  Machine machine;
  RunningJobs running;

  void run(std::vector<std::int32_t> leaves, std::int64_t minutes) {
    machine.take(leaves);
    RunningJob job;
    job.job = 0;
    job.end_us = job.free_us = job.expected_us = minutes * minute_us;
    job.cores = std::move(leaves);
    running.add(std::move(job));
  }

  std::vector<Passing> backfill(std::vector<Claim> queue, StockRequest request = StockRequest::tasks) const {
    for (Claim& claim : queue) claim.long_us *= minute_us;
    return planned_backfill(machine, running, 0, queue, request);
  }
};

std::vector<std::size_t> indices(const std::vector<Passing>& passed) {
  std::vector<std::size_t> all;
  for (const Passing& passing : passed) all.push_back(passing.index);
  return all;
}

// Four nodes of one core. Two of them run jobs of 10 and 20 minutes.
Busy two_of_four() {
  Busy busy{machine_of({4}, 1, 1), {}};
  busy.run({0}, 10);
  busy.run({1}, 20);
  return busy;
}

}  // namespace

START_TEST(a_job_passes_on_nodes_that_are_not_promised) {
  // The first job gets n0, n2 and n3 after 10 minutes. As in Slurm, a job must have ended before that.
  ck_assert((indices(two_of_four().backfill({{3, 30}, {1, 9}})) == std::vector<std::size_t>{1}));
  ck_assert(indices(two_of_four().backfill({{3, 30}, {1, 10}})).empty());
}
END_TEST

START_TEST(a_job_does_not_change_nodes_on_the_way) {
  // n0 and n1 are promised one after the other, so that at each time one core is free, but no node throughout.
  Busy busy{machine_of({3}, 1, 1), {}};
  busy.run({2}, 100);
  busy.run({0}, 5);
  // Now n1 is free. The first job takes n0 and n1 from 5 to 15 minutes; one of a minute passes, one of 40 minutes does
  // not.
  ck_assert((indices(busy.backfill({{2, 10}, {1, 1}})) == std::vector<std::size_t>{1}));
  ck_assert(indices(busy.backfill({{2, 10}, {1, 40}})).empty());
}
END_TEST

START_TEST(promised_nodes_are_promised_whole) {
  // Two nodes of four cores, one full for 10 minutes. The first job needs five cores, so that three are left over on
  // nodes that are promised to it: Slurm does not give them to a job that would still run then.
  Busy busy{machine_of({2}, 1, 4), {}};
  busy.run({0, 1, 2, 3}, 10);
  ck_assert(indices(busy.backfill({{5, 30}, {1, 20}})).empty());
  ck_assert((indices(busy.backfill({{5, 30}, {1, 9}})) == std::vector<std::size_t>{1}));
}
END_TEST

START_TEST(a_job_that_passes_is_kept_off_promised_nodes) {
  Busy busy{machine_of({2, 2}, 1, 1), {}};
  busy.run({0}, 10);
  // The first job takes n0 and n1, which are tightest, from 10 minutes on: the job that passes has n2 or n3.
  const std::vector<Passing> passed = busy.backfill({{4, 1}, {1, 9}});
  ck_assert((indices(passed) == std::vector<std::size_t>{1}));
  Busy other{machine_of({3, 1}, 1, 1), {}};
  other.run({0}, 10);
  other.run({1}, 10);
  const std::vector<Passing> beside = other.backfill({{3, 30}, {1, 60}});
  ck_assert((indices(beside) == std::vector<std::size_t>{1}));
  ck_assert_int_eq(beside.front().closed.size(), 3);
}
END_TEST

START_TEST(each_job_of_the_plan_keeps_its_nodes) {
  // The first job gets n0 and n1 after 10 minutes, the second one all nodes after 20 minutes. The third job may have n3
  // until then.
  Busy busy{machine_of({4}, 1, 1), {}};
  busy.run({0}, 10);
  busy.run({1}, 10);
  busy.run({2}, 20);
  ck_assert((indices(busy.backfill({{2, 5}, {4, 5}, {1, 19}})) == std::vector<std::size_t>{2}));
  ck_assert(indices(busy.backfill({{2, 5}, {4, 5}, {1, 20}})).empty());
  ck_assert((indices(busy.backfill({{2, 5}, {1, 20}})) == std::vector<std::size_t>{1}));
}
END_TEST

START_TEST(tasks_of_an_array_are_planned_up_to_a_number) {
  // n0 to n40 are busy for 10 minutes, n41 is free. Each of 21 jobs needs two nodes: the last one gets n40 and n41,
  // unless they are tasks of one array: Slurm plans 20 of them.
  Busy busy{machine_of({42}, 1, 1), {}};
  for (std::int32_t n = 0; n <= 40; ++n) busy.run({n}, 10);
  for (const std::int64_t array : {-1, 7}) {
    std::vector<Claim> queue(21, Claim{2, 1000, array});
    queue.push_back({1, 600});
    ck_assert_uint_eq(busy.backfill(queue).size(), array < 0 ? 0 : 1);
  }
}
END_TEST

START_TEST(a_job_is_planned_beyond_the_entry_in_which_it_would_end) {
  // n0 to n5 of four cores. n0 is busy until 1 minute, n3 and n4 until 5 minutes, and n5 keeps one free core.
  Busy busy{machine_of({6}, 1, 4), {}};
  busy.run({0, 1, 2, 3}, 1);
  busy.run({12, 13, 14, 15}, 5);
  busy.run({16, 17, 18, 19}, 5);
  busy.run({20, 21, 22}, 8);
  // n0 to n2 are promised from 1 to 10 minutes, n3 and n4 from 5 to 10 minutes. The third job needs the whole machine
  // for 2 minutes. It has too few nodes until 10 minutes, and starts then. From 5 minutes on the plan has fewer open
  // nodes than in the time that was tried first.
  ck_assert(indices(busy.backfill({{12, 9}, {8, 5}, {24, 2}, {1, 20}}, StockRequest::nodes)).empty());
  ck_assert(
      (indices(busy.backfill({{12, 9}, {8, 5}, {24, 2}, {1, 9}}, StockRequest::nodes)) == std::vector<std::size_t>{3}));
}
END_TEST

START_TEST(a_job_without_usable_nodes_does_not_end_a_group) {
  // Four nodes of four cores. n0 has a free core, n1 is busy until 2 minutes, one core of n2 until 1 minute and one
  // core of n3 until 10 minutes.
  Busy busy{machine_of({4}, 1, 4), {}};
  busy.run({1, 2, 3}, 200);
  busy.run({4, 5, 6, 7}, 2);
  busy.run({8}, 1);
  busy.run({9, 10, 11}, 200);
  busy.run({12}, 10);
  busy.run({13, 14, 15}, 200);
  // n1 is promised to the first job. The second one could have a core of n0 and one of n2 after 1 minute. Slurm looks
  // beyond the end of the job on n1, which is in the first group, and takes the end of that on n3 into the group.
  ck_assert((indices(busy.backfill({{4, 100}, {2, 30}, {1, 9}}, StockRequest::nodes)) == std::vector<std::size_t>{2}));
  ck_assert(indices(busy.backfill({{4, 100}, {2, 30}, {1, 10}}, StockRequest::nodes)).empty());
}
END_TEST

int main() {
  Suite* suite = suite_create("node_plan");
  TCase* all = tcase_create("all");
  tcase_add_test(all, a_job_passes_on_nodes_that_are_not_promised);
  tcase_add_test(all, a_job_does_not_change_nodes_on_the_way);
  tcase_add_test(all, promised_nodes_are_promised_whole);
  tcase_add_test(all, a_job_that_passes_is_kept_off_promised_nodes);
  tcase_add_test(all, each_job_of_the_plan_keeps_its_nodes);
  tcase_add_test(all, tasks_of_an_array_are_planned_up_to_a_number);
  tcase_add_test(all, a_job_is_planned_beyond_the_entry_in_which_it_would_end);
  tcase_add_test(all, a_job_without_usable_nodes_does_not_end_a_group);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

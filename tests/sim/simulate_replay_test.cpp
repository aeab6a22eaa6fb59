// SPDX-License-Identifier: GPL-2.0-or-later
// The event-driven replay: scheduling, run times, failures and measures.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "common/util/random.hpp"
#include "sim/backfill.hpp"
#include "sim/metrics.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"
#include "tests/sim/simulate_runs.hpp"

using namespace placement;
using namespace placement::sim;

START_TEST(first_come_first_served) {
  const Machine machine = machine_of({2}, 1, 4);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 8), job_of(10, 50, 50, 8), job_of(20, 10, 10, 8)};
  const Replay replay = run(machine, jobs, "SLURM", plain());
  ck_assert((starts(replay) == std::vector<double>{0, 100, 150}));
  ck_assert_int_eq(replay.makespan_us, 160000000);
  ck_assert_double_eq_tol(replay.busy_core_us / 8 / 160e6, 1, 1e-12);
}
END_TEST

START_TEST(backfill_passes_without_delaying_the_head) {
  const Machine machine = machine_of({2}, 1, 4);
  const std::vector<LogJob> jobs{
      job_of(0, 100, 100, 6),  // runs and leaves two cores free until 100 s
      job_of(1, 50, 50, 8),    // the first job of the queue; it has a reservation for 100 s
      job_of(2, 90, 200, 2),   // does not pass: it would end at 202 s by its requested time
      job_of(3, 97, 97, 2),    // passes: it ends exactly at 100 s
      job_of(4, 10, 10, 1),    // does not pass: no core is free
  };
  const Replay replay = run(machine, jobs, "SLURM", plain());
  ck_assert((starts(replay) == std::vector<double>{0, 100, 150, 3, 150}));
}
END_TEST

START_TEST(backfill_uses_cores_that_the_head_spares) {
  const Machine machine = machine_of({2}, 1, 4);
  const std::vector<LogJob> jobs{
      job_of(0, 100, 100, 6), job_of(1, 50, 50, 7),
      job_of(2, 500, 500, 1),  // passes: the first job of the queue needs all cores but one
      job_of(3, 500, 500, 1),  // does not pass, because that core is taken
  };
  ck_assert((starts(run(machine, jobs, "SLURM", plain())) == std::vector<double>{0, 100, 2, 150}));
}
END_TEST

START_TEST(all_that_ends_with_the_shadow_is_spare) {
  const Machine machine = machine_of({4}, 1, 4);
  // Three jobs of four cores end at 100 s. The first job of the queue, with six cores, has a reservation for that time.
  // Ten further cores will be free, so that the last job may start now.
  std::vector<LogJob> jobs{job_of(0, 100, 100, 4), job_of(0, 100, 100, 4), job_of(0, 100, 100, 4),
                           job_of(1, 100, 100, 6), job_of(2, 1000, 1000, 4)};
  ck_assert((starts(run(machine, jobs, "SLURM", plain())) == std::vector<double>{0, 0, 0, 100, 2}));
  // The last job must wait if eight cores are freed one second later and the first job needs the free cores.
  jobs = {job_of(0, 100, 100, 4), job_of(0, 101, 101, 8), job_of(1, 100, 100, 6), job_of(2, 1000, 1000, 4)};
  ck_assert((starts(run(machine, jobs, "SLURM", plain())) == std::vector<double>{0, 0, 100, 101}));
  // All jobs beyond their requested times may end now, so that the reservation is for the present time.
  const ExpectedEnds late{{50, 0, 4}, {60, 1, 4}, {70, 2, 4}, {200, 3, 2}};
  const std::vector<Claim> queue{{6, 100}, {8, 1000}, {2, 1000}};
  ck_assert((easy_backfill(100, 2, late, queue) == std::vector<std::size_t>{2}));
  ck_assert((easy_backfill(100, 4, {{50, 0, 4}, {60, 1, 4}, {70, 2, 4}},
                           std::vector<Claim>{{6, 100}, {4, 1000}, {4, 1000}}) == std::vector<std::size_t>{1}));
  ck_assert((easy_backfill(100, 4, {{50, 0, 4}, {101, 1, 8}}, std::vector<Claim>{{6, 100}, {4, 1000}}).empty()));
}
END_TEST

START_TEST(jobs_that_end_early_or_late_move_the_head) {
  const Machine machine = machine_of({1}, 1, 4);
  // The first job ends long before its requested time. Its cores are free before the time of the reservation.
  const std::vector<LogJob> jobs{job_of(0, 10, 1000, 3), job_of(1, 5, 5, 4), job_of(2, 900, 900, 1)};
  ck_assert((starts(run(machine, jobs, "SLURM", plain())) == std::vector<double>{0, 902, 2}));
}
END_TEST

START_TEST(reservations_hold_others_back) {
  const Machine machine = machine_of({4}, 1, 1);
  // Two jobs of one and two cores run until 100 and 300 minutes. The third job needs all four cores from 300 minutes
  // on. The fourth needs two cores for 199 minutes from 100 minutes on. The last job could use the idle core until 250
  // minutes, but would then delay the fourth.
  const std::vector<LogJob> jobs{job_of(0, 6000, 6000, 1), job_of(0, 18000, 18000, 2), job_of(1, 3000, 3000, 4),
                                 job_of(2, 11940, 11940, 2), job_of(3, 14820, 14820, 1)};
  ReplayOptions options = plain();
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 0, 18000, 21000, 3}));
  options.backfill = Backfill::slurm;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 0, 18000, 6000, 21000}));
  // With a margin of two minutes the fourth job would run into the time of the third. It gets a later time and holds
  // nobody back.
  options.plan_margin_s = 120;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 0, 18000, 21000, 3}));
  options.plan_margin_s = 0;
  // With a backfill every 40 minutes the fourth job misses its time. The third job does not depend on backfill.
  options.backfill_interval_s = 2400;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 0, 18000, 21000, 21000}));
  options.backfill_interval_s = 0;
  const std::vector<LogJob> many = random_jobs(150, 4, 17);
  const Replay all = run(machine, many, "SLURM", options);
  check_legal(machine, many, all);
  ck_assert(starts(run(machine, many, "SLURM", options)) == starts(all));
}
END_TEST

START_TEST(slurm_keeps_limits_in_whole_minutes) {
  const Machine machine = machine_of({2}, 1, 1);
  // The first job leaves one core until 100 minutes. The second one needs both cores from then on, and another job may
  // pass it if it has ended before that: one with 99 minutes, not one with 99 minutes and a second.
  std::vector<LogJob> jobs{job_of(0, 6000, 6000, 1), job_of(0, 600, 600, 2), job_of(0, 60, 5940, 1)};
  ReplayOptions options = plain();
  options.backfill = Backfill::slurm;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 6000, 0}));
  jobs[2].limit_s = 5941;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 6000, 6600}));
  // The limits of running jobs are rounded, too: that of the first job is 101 minutes.
  jobs[0].limit_s = 6001;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 6000, 0}));
  // EASY backfill counts seconds.
  jobs[2].limit_s = 6002;
  options.backfill = Backfill::easy;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 6000, 6600}));
}
END_TEST

// The plan has jobs on the nodes of stock Slurm, and a policy puts them elsewhere: one that passes may have no room
// then.
START_TEST(jobs_that_pass_find_their_room_taken_by_a_policy) {
  const Machine machine = machine_of({3, 3}, 1, 1);
  ReplayOptions options = plain();
  options.backfill = Backfill::slurm;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<LogJob> jobs = random_jobs(100, 4, seed);
    check_legal(machine, jobs, run(machine, jobs, "RANDOM", options));
  }
}
END_TEST

START_TEST(depth_limits_backfill) {
  const Machine machine = machine_of({1}, 1, 4);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 3), job_of(1, 10, 10, 4), job_of(2, 10, 10, 2),
                                 job_of(3, 5, 5, 1)};
  ReplayOptions options = plain();
  options.backfill_depth = 1;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 100, 110, 110}));
  options.backfill_depth = 0;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 100, 110, 110}));
  options.backfill_depth = 2;
  ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 100, 110, 3}));
}
END_TEST

START_TEST(an_array_does_not_fill_the_depth) {
  const Machine machine = machine_of({1}, 1, 4);
  // The first job leaves one core. All tasks of the array need four, and the last job one.
  std::vector<LogJob> jobs{job_of(0, 3600, 3600, 3)};
  for (int k = 0; k < 600; ++k) jobs.push_back(job_of(1, 60, 60, 4));
  jobs.push_back(job_of(2, 60, 60, 1));
  ReplayOptions options = plain();
  for (const Backfill backfill : {Backfill::easy, Backfill::slurm}) {
    options.backfill = backfill;
    for (LogJob& job : jobs) job.array_task = false;
    ck_assert_double_eq(starts(run(machine, jobs, "SLURM", options)).back(), 39600);
    for (LogJob& job : jobs) job.array_task = job.submit_s == 1;
    ck_assert_double_eq(starts(run(machine, jobs, "SLURM", options)).back(), 2);
  }
}
END_TEST

START_TEST(tasks_of_an_array_pass_as_long_as_there_are_cores) {
  const Machine machine = machine_of({2}, 1, 64);
  // The first job leaves one node, and the second one needs both. As many tasks of the array pass it as there are
  // cores.
  std::vector<LogJob> jobs{job_of(0, 3600, 3600, 64), job_of(1, 60, 60, 128)};
  for (int k = 0; k < 70; ++k) {
    jobs.push_back(job_of(2, 60, 60, 1));
    jobs.back().array_task = true;
  }
  for (const Backfill backfill : {Backfill::easy, Backfill::slurm}) {
    ReplayOptions options = plain();
    options.backfill = backfill;
    const std::vector<double> begun = starts(run(machine, jobs, "SLURM", options));
    ck_assert_int_eq(std::count(begun.begin(), begun.end(), 2.0), 64);
    ck_assert_int_eq(std::count(begun.begin(), begun.end(), 62.0), 6);
  }
}
END_TEST

START_TEST(run_times_follow_the_model) {
  const Machine machine = machine_of({4, 4}, 2, 2);
  const std::vector<LogJob> jobs{job_of(0, 1000, 2000, 16), job_of(5000, 1000, 2000, 1)};
  ReplayOptions options = plain();
  options.communication = 0.4;
  const Replay replay = run(machine, jobs, "TM-A", options, "random=3");
  const JobOutcome& outcome = replay.outcomes[0];
  ck_assert(outcome.has_matrix);
  ck_assert_double_lt(outcome.ratio, 1);
  ck_assert_double_eq_tol(static_cast<double>(outcome.run_us) / 1e6, 1000 * (1 + 0.4 * outcome.ratio - 0.4), 1e-5);
  ck_assert_int_eq(replay.outcomes[1].run_us, 1000000000);  // a job with one rank has no traffic
  options.charge_policy_s = 3;
  options.charge_policy_task_s = 0.5;
  options.charge_stock_s = 2;
  const Replay charged = run(machine, jobs, "TM-A", options, "random=3");
  ck_assert_int_eq(charged.outcomes[0].run_us, outcome.run_us + 11000000);
  ck_assert_int_eq(charged.outcomes[1].run_us, 1002000000);
}
END_TEST

START_TEST(no_matrices_make_all_strategies_equal) {
  const Machine machine = machine_of({3, 2}, 1, 4);
  const std::vector<LogJob> jobs = random_jobs(200, 20, 3);
  ReplayOptions options = plain();
  options.share = 0;
  const Replay stock = run(machine, jobs, "SLURM", options);
  check_legal(machine, jobs, stock);
  for (const char* strategy : {"TM-A", "TM-I", "TM-Isub"})
    ck_assert(starts(run(machine, jobs, strategy, options)) == starts(stock));
}
END_TEST

START_TEST(shares_are_the_same_jobs_for_all) {
  const Machine machine = machine_of({3, 2}, 1, 4);
  const std::vector<LogJob> jobs = random_jobs(300, 20, 4);
  ReplayOptions options = plain();
  options.share = 0.5;
  const Replay stock = run(machine, jobs, "SLURM", options);
  const Replay other = run(machine, jobs, "TM-Isub", options);
  std::int64_t with = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    ck_assert_int_eq(stock.outcomes[k].has_matrix, other.outcomes[k].has_matrix);
    with += stock.outcomes[k].has_matrix;
  }
  ck_assert_int_gt(with, 100);
  ck_assert_int_lt(with, 180);
}
END_TEST

START_TEST(every_strategy_is_legal_and_deterministic) {
  const Machine machine = machine_of({3, 2, 3}, 2, 2);
  const std::vector<LogJob> jobs = random_jobs(instances(150), 32, 5);
  for (const bool full : {false, true})
    for (const char* strategy : {"SLURM", "TM-A", "TM-I", "TM-Isub", "TM-Isub+1", "RANDOM", "SEQUENTIAL"}) {
      ReplayOptions options;
      options.full_start = full;
      const Replay first = run(machine, jobs, strategy, options);
      check_legal(machine, jobs, first);
      ck_assert(starts(run(machine, jobs, strategy, options)) == starts(first));
      if (full) ck_assert_double_gt(starts(first)[0], 0);
    }
}
END_TEST

START_TEST(whole_nodes_are_not_shared) {
  const Machine machine = machine_of({2}, 1, 4);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 1), job_of(0, 100, 100, 1), job_of(0, 100, 100, 1)};
  ReplayOptions options = plain();
  options.whole_nodes = true;
  for (const char* strategy : {"SLURM", "TM-Isub"})
    ck_assert((starts(run(machine, jobs, strategy, options)) == std::vector<double>{0, 0, 100}));
}
END_TEST

START_TEST(failed_nodes_restart_their_jobs) {
  const Machine machine = machine_of({2, 2}, 1, 2);
  const std::vector<LogJob> jobs = random_jobs(100, 8, 8);
  ReplayOptions options = plain();
  options.node_failures_per_hour = 2;
  options.repair_hours = 0.1;
  for (const char* strategy : {"SLURM", "TM-Isub"}) {
    const Replay first = run(machine, jobs, strategy, options);
    ck_assert_int_gt(first.node_failures, 0);
    std::int64_t restarts = 0;
    for (const JobOutcome& outcome : first.outcomes) restarts += outcome.restarts;
    ck_assert_int_gt(restarts, 0);
    check_legal(machine, jobs, first);
    ck_assert(starts(run(machine, jobs, strategy, options)) == starts(first));
    ck_assert_double_le(first.busy_core_us, 8.0 * static_cast<double>(first.makespan_us));
  }
}
END_TEST

START_TEST(planned_failures_by_hand) {
  const Machine machine = machine_of({2}, 1, 1);
  // Node 0 fails at 40 s for 60 s. The first job runs there and starts again on node 1 at 70 s, when the second job
  // ends. The third job was submitted later and starts on node 0 when this is back.
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 1), job_of(0, 70, 70, 1), job_of(50, 10, 10, 1)};
  ReplayOptions options = plain();
  options.planned_failures = {{40'000'000, 0, 60'000'000}};
  const Replay replay = run(machine, jobs, "SLURM", options);
  ck_assert((starts(replay) == std::vector<double>{70, 0, 100}));
  ck_assert_int_eq(replay.outcomes[0].restarts, 1);
  ck_assert_int_eq(replay.makespan_us, 170'000'000);
  ck_assert_int_eq(replay.node_failures, 1);
  ck_assert_double_eq_tol(replay.lost_core_us, 40e6, 1e-6);
  ck_assert_double_eq_tol(replay.busy_core_us, (40 + 70 + 100 + 10) * 1e6, 1);
  // A failure of a node that is down has no effect, and neither has a failure after the last end.
  options.planned_failures = {{40'000'000, 0, 60'000'000}, {50'000'000, 0, 90'000'000}, {180'000'000, 1, 1}};
  const Replay again = run(machine, jobs, "SLURM", options);
  ck_assert(starts(again) == starts(replay));
  ck_assert_int_eq(again.node_failures, 1);
  // A job of two nodes waits for the repair.
  options.planned_failures = {{40'000'000, 0, 60'000'000}};
  const Replay both = run(machine, {job_of(0, 100, 100, 2)}, "SLURM", options);
  ck_assert((starts(both) == std::vector<double>{100}));
  ck_assert_double_eq_tol(both.lost_core_us, 80e6, 1e-6);
}
END_TEST

START_TEST(cores_are_free_after_the_release) {
  const Machine machine = machine_of({1}, 1, 4);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 3), job_of(0, 50, 50, 4), job_of(0, 10, 10, 1)};
  ReplayOptions options = plain();
  options.release_s = 5;
  const Replay replay = run(machine, jobs, "SLURM", options);
  ck_assert((starts(replay) == std::vector<double>{0, 105, 0}));
  ck_assert_int_eq(replay.outcomes[0].end_us, 100'000'000);
  ck_assert_int_eq(replay.makespan_us, 155'000'000);
  ck_assert_double_eq_tol(summarise(machine, jobs, replay).measures[0].mean, (100 + 155 + 10) / 3.0, 1e-9);
}
END_TEST

// A job in release holds its cores for some seconds more, not until its requested time.
START_TEST(no_job_passes_the_first_one_because_of_a_release) {
  const Machine machine = machine_of({4}, 1, 1);
  const std::vector<LogJob> jobs{job_of(0, 115, 14400, 1), job_of(1, 100, 1800, 4), job_of(118, 3000, 10800, 1)};
  ReplayOptions options = plain();
  options.release_s = 10;
  for (const Backfill backfill : {Backfill::easy, Backfill::slurm}) {
    options.backfill = backfill;
    ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 125, 235}));
  }
}
END_TEST

// As in Slurm, a node on which a job is in release gets no other job, although it has free cores.
START_TEST(a_node_in_release_gets_no_job) {
  const Machine machine = machine_of({2}, 1, 2);
  // The first two jobs are on n0. The third one comes at 105 s, when the first one is in release, and gets a core of
  // n1. The fourth one waits for n0 until 110 s; the last one has the other core of n1 at once.
  const std::vector<LogJob> jobs{job_of(0, 100, 600, 1), job_of(50, 10, 60, 1), job_of(105, 600, 600, 1),
                                 job_of(106, 600, 600, 2), job_of(107, 600, 600, 1)};
  ReplayOptions options = plain();
  options.release_s = 10;
  for (const Backfill backfill : {Backfill::easy, Backfill::slurm}) {
    options.backfill = backfill;
    ck_assert((starts(run(machine, jobs, "SLURM", options)) == std::vector<double>{0, 50, 105, 110, 107}));
  }
}
END_TEST

START_TEST(ends_when_told) {
  const Machine machine = machine_of({2, 2}, 1, 2);
  const std::vector<LogJob> jobs = random_jobs(50, 8, 9);
  const std::atomic<bool> stop{true};
  ReplayControl control;
  control.stop = &stop;
  const Replay replayed = replay(machine, jobs, parse_strategy("SLURM"), PatternSource({}), plain(), &control);
  ck_assert(replayed.interrupted);
  const Summary summary = summarise(machine, jobs, replayed);
  ck_assert_int_eq(summary.ended, 0);
  ck_assert(std::isfinite(summary.utilisation) && std::isnan(summary.mean_gain) == (summary.with_matrix == 0));
}
END_TEST

// Two nodes of four cores with one reserved core each, and one node that takes no jobs.
START_TEST(only_offered_cores_are_used) {
  std::vector<NodeShape> nodes{{"a", 1, 4, 1}, {"b", 1, 4, 1}, {"future", 1, 4, 1}};
  nodes[0].offered = nodes[1].offered = {true, true, true, false};
  nodes[2].offered = {false, false, false, false};
  const std::vector<SwitchShape> switches{{"s", -1, {0, 1, 2}}};
  const Machine machine(view_of_switches(switches, nodes));
  ck_assert_int_eq(machine.cores(), 6);
  ck_assert_int_eq(machine.free_cores(), 6);
  ck_assert(machine.regular());
  ck_assert_int_eq(machine.least_nodes(4), 2);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 6), job_of(1, 50, 50, 3), job_of(2, 50, 50, 3)};
  for (const bool whole_nodes : {false, true}) {
    ReplayOptions options = plain();
    options.whole_nodes = whole_nodes;
    const Replay replay = run(machine, jobs, "SLURM", options);
    ck_assert((starts(replay) == std::vector<double>{0, 100, 100}));
    options.planned_failures = {{50 * 1000000, 0, 1000000}, {50 * 1000000, 2, 1000000}};
    const Replay failed = run(machine, jobs, "SLURM", options);
    ck_assert_int_eq(failed.node_failures, 1);  // on the last node no job can be
    ck_assert_int_eq(failed.ended, 3);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_replay");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, first_come_first_served);
  tcase_add_test(all, backfill_passes_without_delaying_the_head);
  tcase_add_test(all, backfill_uses_cores_that_the_head_spares);
  tcase_add_test(all, all_that_ends_with_the_shadow_is_spare);
  tcase_add_test(all, jobs_that_end_early_or_late_move_the_head);
  tcase_add_test(all, reservations_hold_others_back);
  tcase_add_test(all, slurm_keeps_limits_in_whole_minutes);
  tcase_add_test(all, jobs_that_pass_find_their_room_taken_by_a_policy);
  tcase_add_test(all, depth_limits_backfill);
  tcase_add_test(all, an_array_does_not_fill_the_depth);
  tcase_add_test(all, tasks_of_an_array_pass_as_long_as_there_are_cores);
  tcase_add_test(all, run_times_follow_the_model);
  tcase_add_test(all, no_matrices_make_all_strategies_equal);
  tcase_add_test(all, shares_are_the_same_jobs_for_all);
  tcase_add_test(all, every_strategy_is_legal_and_deterministic);
  tcase_add_test(all, whole_nodes_are_not_shared);
  tcase_add_test(all, failed_nodes_restart_their_jobs);
  tcase_add_test(all, planned_failures_by_hand);
  tcase_add_test(all, cores_are_free_after_the_release);
  tcase_add_test(all, no_job_passes_the_first_one_because_of_a_release);
  tcase_add_test(all, a_node_in_release_gets_no_job);
  tcase_add_test(all, only_offered_cores_are_used);
  tcase_add_test(all, ends_when_told);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

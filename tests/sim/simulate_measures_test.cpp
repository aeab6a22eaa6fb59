// SPDX-License-Identifier: GPL-2.0-or-later
// The measures of a replay: utilisation, waits, times of decisions.
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
#include "tests/words.hpp"

using namespace placement;
using namespace placement::sim;

START_TEST(utilisation_is_of_running_jobs_within_the_makespan) {
  const Machine machine = machine_of({4}, 1, 4);
  ReplayOptions options = plain();
  // Two jobs take all cores for 100 s each. The cores are idle during the release between them. The release of the last
  // job is not part of the makespan.
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 16), job_of(0, 100, 100, 16)};
  options.release_s = 1000;
  const Replay released = run(machine, jobs, "SLURM", options);
  ck_assert_int_eq(released.makespan_us, 1'200'000'000);
  ck_assert_double_eq_tol(summarise(machine, jobs, released).utilisation, 200.0 / 1200, 1e-12);
  // A job that has ended does not start again when one of its nodes fails before the release. The other job waits for
  // the repair.
  options.planned_failures = {{150'000'000, 0, 10'000'000}};
  const Replay failed = run(machine, jobs, "SLURM", options);
  ck_assert((starts(failed) == std::vector<double>{0, 160}));
  ck_assert_int_eq(failed.outcomes[0].restarts, 0);
  ck_assert_int_eq(failed.outcomes[0].end_us, 100'000'000);
  ck_assert_double_eq_tol(summarise(machine, jobs, failed).utilisation, 200.0 / 260, 1e-12);
  // Jobs that filled the machine count up to the makespan only.
  for (const std::uint64_t seed : {1, 2, 3}) {
    ReplayOptions full = plain();
    full.full_start = true;
    full.seed = seed;
    const Replay filled = run(machine, {job_of(0, 10, 10, 1), job_of(0, 10, 10, 2)}, "SLURM", full);
    ck_assert_double_le(filled.busy_core_us, 16.0 * static_cast<double>(filled.makespan_us));
    ck_assert_double_gt(filled.busy_core_us, 30e6);
  }
}
END_TEST

// The utilisation is right wherever the replay is stopped.
START_TEST(utilisation_of_an_interrupted_replay) {
  const Machine machine = machine_of({4}, 1, 4);
  std::vector<LogJob> jobs = random_jobs(20'000, 8, 11);
  jobs[0] = job_of(0, 400'000'000, 400'000'000, 8);  // still runs when the replay is stopped
  for (const std::int64_t enough : {1, 200}) {
    std::atomic<bool> stop{false};
    ReplayControl control;
    control.stop = &stop;
    std::atomic<bool> over{false};
    std::thread watcher([&] {
      while (control.ended_jobs < enough && !over) std::this_thread::yield();
      stop = true;
    });
    const Replay ended = replay(machine, jobs, parse_strategy("SLURM"), PatternSource({}), plain(), &control);
    over = true;
    watcher.join();
    double busy_us = 0;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      const JobOutcome& outcome = ended.outcomes[k];
      if (outcome.start_us < 0) continue;
      const std::int64_t end_us = outcome.end_us < 0 ? ended.makespan_us : outcome.end_us;
      ck_assert_int_le(end_us, ended.makespan_us);
      busy_us += static_cast<double>(jobs[k].tasks) *
                 static_cast<double>(std::max<std::int64_t>(end_us - outcome.start_us, 0));
    }
    ck_assert_double_eq_tol(ended.busy_core_us / busy_us, 1, 1e-9);
    ck_assert_double_le(summarise(machine, jobs, ended).utilisation, 1 + 1e-9);
  }
}
END_TEST

START_TEST(a_full_machine_is_full) {
  const Machine machine = machine_of({2, 2}, 1, 4);
  std::vector<LogJob> jobs;
  for (int k = 0; k < 20; ++k) jobs.push_back(job_of(0, 100, 200, 1));
  ReplayOptions options = plain();
  options.full_start = true;
  const Replay replay = run(machine, jobs, "SLURM", options);
  ck_assert_int_eq(replay.samples.at(0).busy_cores, 16);
  ck_assert_int_eq(replay.samples.at(0).waiting_jobs, 20);
  ck_assert_int_eq(replay.ended, 20);
  // The observer sees the jobs that fill the machine: 16 jobs of one task, whose last ends free the cores for the
  // sixteen that start.
  ck_assert_uint_eq(replay.fill.size(), 16);
  std::vector<double> ends;
  for (const FillJob& job : replay.fill) {
    ck_assert_int_eq(job.tasks, 1);
    ck_assert_int_eq(job.expected_us - job.end_us, 100'000'000);
    ends.push_back(static_cast<double>(job.end_us) / 1e6);
  }
  std::ranges::sort(ends);
  for (std::size_t k = 0; k < ends.size(); ++k) ck_assert_double_eq_tol(starts(replay)[k], ends[k], 1e-6);
  // The jobs that fill the machine end within one run time. Therefore 16 jobs start within 100 s, and the last four one
  // run time later.
  const std::vector<double> begin = starts(replay);
  ck_assert_double_gt(begin.front(), 0);
  ck_assert_double_le(begin[15], 100.001);
  ck_assert_double_ge(begin[16], 100);
  ck_assert_double_le(replay.makespan_us / 1e6, 300.001);
}
END_TEST

START_TEST(endless_times_are_told) {
  const Machine machine = machine_of({1}, 1, 1);
  const std::int64_t century_s = std::int64_t{1} << 32;
  std::vector<LogJob> jobs{job_of(0, century_s, century_s, 1), job_of(0, 1, 1, 1)};
  const Replay long_one = run(machine, jobs, "SLURM", plain());
  ck_assert_double_eq(starts(long_one)[1], static_cast<double>(century_s));
  ck_assert_uint_le(long_one.samples.size(), 100000);
  ck_assert_uint_gt(long_one.samples.size(), 10000);
  jobs.assign(3000, job_of(0, century_s, century_s, 1));
  ck_assert_error(run(machine, jobs, "SLURM", plain()), " simulated years");
}
END_TEST

START_TEST(times_beyond_counting_are_told) {
  const Machine machine = machine_of({1}, 1, 2);
  constexpr std::int64_t huge_s = 9'240'000'000'000;  // more microseconds than 64 bits hold
  std::vector<LogJob> jobs{job_of(0, 1, 1, 1), job_of(0, huge_s, huge_s, 1)};
  jobs[1].id = 7;
  jobs[1].line = 12;
  ck_assert_error_words(run(machine, jobs, "SLURM", plain()), "job 7 line 12 9.24e+12 s");
  jobs[1] = job_of(huge_s, 1, 1, 1);
  ck_assert_error_words(run(machine, jobs, "SLURM", plain()), "submitted 9240000000000 s");
  // The charge for a decision counts too.
  ReplayOptions charged = plain();
  charged.charge_stock_s = 1e13;
  ck_assert_error(run(machine, {job_of(0, 1, 1, 1)}, "SLURM", charged), "would run 1e+13 s");
  // A requested time of this length is allowed, and no plan overflows. With EASY backfill no job that needs the cores
  // passes the first one. Slurm's plan reserves nothing for a job that starts after more than a day, so a job of one
  // core passes those of two.
  jobs = {job_of(0, 600, huge_s, 1),   job_of(60, 600, huge_s, 2),  job_of(120, 600, huge_s, 1),
          job_of(180, 600, huge_s, 2), job_of(240, 600, huge_s, 2), job_of(300, 600, huge_s, 2),
          job_of(360, 240, 240, 1)};
  for (const Backfill backfill : {Backfill::easy, Backfill::slurm}) {
    ReplayOptions options = plain();
    options.backfill = backfill;
    const std::vector<double> expected = backfill == Backfill::easy
                                             ? std::vector<double>{0, 600, 1200, 1800, 2400, 3000, 360}
                                             : std::vector<double>{0, 840, 120, 1440, 2040, 2640, 600};
    ck_assert((starts(run(machine, jobs, "SLURM", options)) == expected));
    options.full_start = true;
    ck_assert_int_eq(run(machine, jobs, "SLURM", options).ended, 7);
  }
}
END_TEST

START_TEST(means_intervals_and_quantiles) {
  // Values of Student's t distribution for 0.95 in printed tables.
  const std::pair<std::int64_t, double> table[] = {{1, 6.314}, {2, 2.920},  {3, 2.353},  {4, 2.132},   {5, 2.015},
                                                   {7, 1.895}, {10, 1.812}, {30, 1.697}, {120, 1.658}, {100000, 1.645}};
  for (const auto& [degrees, value] : table) ck_assert_double_eq_tol(student_t95(degrees), value, 0.0025);
  const std::vector<double> values{1, 2, 3, 4};
  const MeanInterval interval = mean_interval(values);
  ck_assert_double_eq_tol(interval.mean, 2.5, 1e-12);
  ck_assert_double_eq_tol(interval.high - interval.mean, 2.3534 * std::sqrt(5.0 / 3 / 4), 1e-3);
  ck_assert_int_eq(mean_interval({}).count, 0);
  ck_assert_double_eq(mean_interval(std::vector<double>{7}).high, 7);
  const std::vector<double> first{2, 8, 0}, second{1, 2, 5};
  const PairedComparison paired = compare_paired(first, second);
  ck_assert_double_eq_tol(paired.difference.mean, 2.0 / 3, 1e-12);
  ck_assert_double_eq_tol(paired.ratio.mean, std::sqrt(8.0), 1e-12);
  ck_assert_int_eq(paired.ratio.count, 2);
}
END_TEST

START_TEST(measures_jobs_and_sizes) {
  const Machine machine = machine_of({2, 2}, 1, 4);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 16), job_of(0, 50, 50, 9), job_of(7200, 10, 10, 1)};
  const Replay replay = run(machine, jobs, "SLURM", plain());
  const Summary summary = summarise(machine, jobs, replay);
  ck_assert_int_eq(summary.ended, 3);
  ck_assert_double_eq_tol(summary.measures[0].mean, (100 + 150 + 10) / 3.0, 1e-9);
  ck_assert_double_eq_tol(summary.measures[3].mean, (1 + 3 + 1) / 3.0, 1e-9);
  ck_assert_double_eq_tol(summary.utilisation, (1600 + 450 + 10) / 16.0 / 7210, 1e-9);
  ck_assert_uint_eq(summary.sizes.size(), 2);
  ck_assert_int_eq(summary.sizes[1].tasks, 16);
  ck_assert_int_eq(summary.sizes[1].jobs, 2);
  ck_assert_double_eq(summary.sizes[1].switches, 2);
  ck_assert_double_eq(summary.extra_switches, 0);
}
END_TEST

// A job that restarts is decided about anew: the mean and the longest time are those of one decision.
START_TEST(times_of_decisions) {
  const Machine machine = machine_of({2, 2}, 1, 4);
  const std::vector<LogJob> jobs{job_of(0, 100, 100, 16), job_of(0, 50, 50, 9), job_of(7200, 10, 10, 1)};
  Replay replay = run(machine, jobs, "SLURM", plain());
  replay.outcomes[0].asked = 3;
  replay.outcomes[0].thinking_us = 6000;
  replay.outcomes[0].longest_thinking_us = 2500;
  replay.outcomes[1].asked = 1;
  replay.outcomes[1].thinking_us = replay.outcomes[1].longest_thinking_us = 4000;
  const Summary summary = summarise(machine, jobs, replay);
  ck_assert_double_eq_tol(summary.decision_ms, 2.5, 1e-12);
  ck_assert_double_eq_tol(summary.longest_decision_ms, 4, 1e-12);
}
END_TEST

// The outcome of a job counts each start, also after a failure of its nodes.
START_TEST(decisions_of_a_restarted_job) {
  const Machine machine = machine_of({2}, 1, 4);
  ReplayOptions options = plain();
  options.planned_failures = {{30'000'000, 0, 1'000'000}};
  const Replay replay = run(machine, {job_of(0, 100, 100, 8)}, "SEQUENTIAL", options);
  ck_assert_int_eq(replay.outcomes[0].restarts, 1);
  ck_assert_int_eq(replay.outcomes[0].asked, 2);
  ck_assert_int_ge(replay.outcomes[0].thinking_us, replay.outcomes[0].longest_thinking_us);
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_measures");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, times_of_decisions);
  tcase_add_test(all, decisions_of_a_restarted_job);
  tcase_add_test(all, utilisation_is_of_running_jobs_within_the_makespan);
  tcase_add_test(all, utilisation_of_an_interrupted_replay);
  tcase_add_test(all, a_full_machine_is_full);
  tcase_add_test(all, endless_times_are_told);
  tcase_add_test(all, times_beyond_counting_are_told);
  tcase_add_test(all, means_intervals_and_quantiles);
  tcase_add_test(all, measures_jobs_and_sizes);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

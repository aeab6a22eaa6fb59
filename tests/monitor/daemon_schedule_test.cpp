// SPDX-License-Identifier: GPL-2.0-or-later
// Tests when the loops of placement-agent and placement-monitor act, on a simulated clock. The times are those that
// placement-agent(8) and placement-monitor(8) state.
#include <vector>

#include "monitor/agent/agent.hpp"
#include "monitor/monitor/monitor.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::agent;
using namespace placement::monitor;
using namespace placement::protocol;

START_TEST(heartbeats_keep_their_interval) {
  Periodic schedule(5);
  std::vector<double> sent;
  // The loop wakes up late, by up to 2 s.
  for (double now = 1000; now < 1060; now += 2)
    if (schedule.due(now)) sent.push_back(now);
  ck_assert_uint_eq(sent.size(), 12);
  ck_assert_double_eq(sent[0], 1000);
  ck_assert_double_eq(sent[11], 1056);
}
END_TEST

START_TEST(after_a_pause_one_heartbeat_is_sent) {
  Periodic schedule(5);
  ck_assert(schedule.due(1000));
  ck_assert(schedule.due(1100));
  ck_assert(!schedule.due(1104.9) && schedule.due(1107.4));
  ck_assert(!schedule.due(1109.9) && schedule.due(1110));
}
END_TEST

// The times at which a heartbeat sent at `now_s` is repeated within 5 s.
static std::vector<double> repeats(Acknowledgements& of, double now_s) {
  std::vector<double> times;
  of.sent(now_s);
  for (int tenth = 0; tenth < 50; ++tenth)
    if (of.repeat_due(now_s + tenth / 10.0)) times.push_back(tenth / 10.0);
  return times;
}

START_TEST(a_heartbeat_without_an_answer_is_repeated_twice) {
  Acknowledgements monitor(5);
  ck_assert(monitor.next_s() > 1e300);
  const std::vector<double> times = repeats(monitor, 100);
  ck_assert_uint_eq(times.size(), 2);
  ck_assert_double_eq_tol(times[0], 1.5, 1e-6);
  ck_assert_double_eq_tol(times[1], 3, 1e-6);
  monitor.sent(105);
  ck_assert_double_eq(monitor.next_s(), 106.5);
  monitor.answered(false);  // an answer to an earlier message
  ck_assert(monitor.repeat_due(106.5));
  monitor.answered(true);
  ck_assert(!monitor.repeat_due(109));
}
END_TEST

START_TEST(a_monitor_that_is_silent_gets_one_heartbeat_at_a_time) {
  Acknowledgements monitor(5);
  for (int k = 0; k < 3; ++k) {
    ck_assert(!monitor.silent());
    ck_assert_uint_eq(repeats(monitor, 100 + 5 * k).size(), 2);
  }
  ck_assert(monitor.silent());  // a new handshake begins
  ck_assert(repeats(monitor, 115).empty());
  monitor.answered(true);
  ck_assert(!monitor.silent());
  ck_assert_uint_eq(repeats(monitor, 120).size(), 2);
}
END_TEST

struct Counts {
  int leases = 0, ticks = 0, slurm = 0, snapshots = 0;
};

// What a monitor of `nodes` nodes does in a minute.
static Counts in_a_minute(std::int32_t nodes) {
  MonitorSchedule schedule(nodes);
  Counts counts;
  for (int k = 0; k < 6000; ++k) {
    const double now_s = 500 + k / 100.0;
    counts.leases += schedule.leases.due(now_s);
    if (!schedule.tick.due(now_s)) continue;
    ++counts.ticks;
    counts.slurm += schedule.slurm.due(now_s);
    counts.snapshots += schedule.snapshot.due(now_s);
  }
  return counts;
}

START_TEST(a_monitor_s_minute) {
  const Counts counts = in_a_minute(1000);
  ck_assert_int_eq(counts.ticks, 60);
  ck_assert_int_eq(counts.slurm, 6);
  ck_assert_int_eq(counts.snapshots, 12);
  ck_assert(counts.leases > 540 && counts.leases <= 600);
  ck_assert_int_eq(in_a_minute(1001).slurm, 2);
}
END_TEST

START_TEST(what_is_wanted_earlier_is_done_earlier) {
  MonitorSchedule schedule(10);
  ck_assert(schedule.slurm.due(100) && schedule.snapshot.due(100));
  schedule.slurm.hurry(100 + MonitorSchedule::slurm_again_s);
  ck_assert(!schedule.slurm.due(104.9) && schedule.slurm.due(105));
  schedule.slurm.hurry(200);  // later than it is due anyway
  ck_assert(schedule.slurm.due(115));
  schedule.snapshot.hurry(101);
  ck_assert(schedule.snapshot.due(101) && !schedule.snapshot.due(105.9) && schedule.snapshot.due(106));
  ck_assert(schedule.tick.due(100) && schedule.leases.due(100.5));
  ck_assert_double_eq(schedule.next_s(), 100.6);
}
END_TEST

int main() {
  Suite* suite = suite_create("daemon schedule");
  TCase* tests = tcase_create("daemon schedule");
  tcase_add_test(tests, heartbeats_keep_their_interval);
  tcase_add_test(tests, after_a_pause_one_heartbeat_is_sent);
  tcase_add_test(tests, a_heartbeat_without_an_answer_is_repeated_twice);
  tcase_add_test(tests, a_monitor_that_is_silent_gets_one_heartbeat_at_a_time);
  tcase_add_test(tests, a_monitor_s_minute);
  tcase_add_test(tests, what_is_wanted_earlier_is_done_earlier);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

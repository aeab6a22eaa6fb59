// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/liveness.hpp"

#include <algorithm>
#include <functional>

#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;
using Change = LivenessTable::Change;

namespace {

struct Seen {
  double at_s;
  LivenessTable::Event event;
};

// Advances by one second at a time. alive(node, second) says whether the node's heartbeat that is due then arrives.
// Each node has its own phase.
std::vector<Seen> run(LivenessTable& table, double& now, double until, const std::function<bool(int, double)>& alive) {
  std::vector<Seen> seen;
  for (; now < until; now += 1) {
    for (int node = 0; node < table.nodes(); ++node)
      if (static_cast<int>(now + node) % 5 == 0 && alive(node, now)) table.heard(node, now);
    for (const LivenessTable::Event& event : table.tick(now)) seen.push_back({now, event});
  }
  return seen;
}

}  // namespace

START_TEST(silence_becomes_an_outage) {
  LivenessTable table(4);
  double now = 1000;
  ck_assert(table.state(0) == Liveness::unknown);
  std::vector<Seen> seen = run(table, now, 1100, [](int, double) { return true; });
  ck_assert_uint_eq(seen.size(), 4);  // each node came up once
  for (int node = 0; node < 4; ++node) ck_assert(table.state(node) == Liveness::up);

  // Node 2 fails at 1100 for two minutes.
  const auto without_2 = [](int node, double at) { return node != 2 || at >= 1220; };
  seen = run(table, now, 1113, without_2);
  ck_assert(seen.empty());
  ck_assert(table.state(2) == Liveness::suspect);
  seen = run(table, now, 1200, without_2);
  ck_assert_uint_eq(seen.size(), 1);
  ck_assert(seen[0].event.change == Change::down);
  ck_assert_int_eq(seen[0].event.node, 2);
  const double last_beat = seen[0].event.since_s;
  ck_assert(last_beat >= 1095 && last_beat < 1100);
  // placement-monitor(8): with regular heartbeats a node is given up four heartbeats after the last one.
  ck_assert(seen[0].at_s - last_beat > 20 && seen[0].at_s - last_beat <= 22);
  ck_assert(table.state(2) == Liveness::down);
  ck_assert(!table.in_doubt());

  seen = run(table, now, 1300, without_2);
  ck_assert_uint_eq(seen.size(), 1);
  ck_assert(seen[0].event.change == Change::up && seen[0].event.was_down && !seen[0].event.doubted);
  ck_assert_double_eq(seen[0].event.silent_s, seen[0].event.since_s - last_beat);
}
END_TEST

// doc/live-state.md: a node is suspect after a silence of 2.2 intervals, and down after 4. It is down after up to 29 s
// if its heartbeats are irregular.
START_TEST(how_long_a_node_may_be_silent) {
  LivenessTable table(4);
  double now = 1000;
  run(table, now, 1100, [](int, double) { return true; });
  table.heard(0, 1100);
  double suspect_s = 0, down_s = 0;
  for (now = 1100; now < 1130; now += 0.25) {
    for (int node = 1; node < 4; ++node) table.heard(node, now);
    table.tick(now);
    if (suspect_s == 0 && table.state(0) == Liveness::suspect) suspect_s = now - 1100;
    if (down_s == 0 && table.state(0) == Liveness::down) down_s = now - 1100;
  }
  ck_assert_double_eq(suspect_s, 11.25);
  ck_assert_double_eq(down_s, 20.25);

  LivenessTable irregular(1);
  double at = 1000;
  for (int beat = 0; beat < 200; ++beat) {
    irregular.heard(0, at);
    irregular.tick(at);
    at += beat % 2 == 0 ? 2 : 8;
  }
  ck_assert_double_eq_tol(irregular.patience_s(0), 29, 1e-9);
}
END_TEST

START_TEST(lost_heartbeats_are_no_outage) {
  // For three hours one heartbeat in twenty is lost, in a fixed random order. No node may be given up, and a failure
  // must still be found in time.
  LivenessTable table(20);
  Random random(7);
  double now = 0;
  const auto lossy = [&random](int node, double at) { return (at < 10800 || node != 5) && random.below(20) != 0; };
  for (const Seen& seen : run(table, now, 10800, lossy)) ck_assert(seen.event.change == Change::up);
  std::vector<Seen> seen = run(table, now, 10900, lossy);
  std::erase_if(seen, [](const Seen& s) { return s.event.node != 5; });
  ck_assert_uint_eq(seen.size(), 1);
  ck_assert(seen[0].at_s - 10800 <= 30);
  double least = 1e9, most = 0;
  for (int node = 0; node < 20; ++node) {
    least = std::min(least, table.patience_s(node));
    most = std::max(most, table.patience_s(node));
  }
  ck_assert_double_ge(least, 20);
  ck_assert_double_gt(most, 22);  // the table has learned that heartbeats are lost
  ck_assert_double_le(most, 29);
}
END_TEST

START_TEST(heard_again_is_a_sign_of_life_alone) {
  LivenessTable table(2);
  double now = 100;
  run(table, now, 300, [](int, double) { return true; });
  const double patience = table.patience_s(0);
  // Acknowledgements are lost, so node 0 sends each heartbeat three times.
  for (; now < 600; now += 0.5) {
    const double phase = std::fmod(now, 5);
    if (phase == 0) table.heard(0, now);
    if (phase == 1.5 || phase == 3) table.heard(0, now, true);
    table.tick(now);
  }
  ck_assert_double_eq_tol(table.patience_s(0), patience, 1e-9);  // repetitions do not change the interval
  // Only repetitions arrive, which is enough for the node to be up.
  for (; now < 700; now += 0.5) {
    if (std::fmod(now, 5) == 3) table.heard(0, now, true);
    for (const LivenessTable::Event& event : table.tick(now)) ck_assert_int_ne(event.node, 0);
  }
  ck_assert(table.state(0) == Liveness::up && table.state(1) == Liveness::down);
}
END_TEST

START_TEST(the_observer_is_suspected) {
  LivenessTable table(10);
  double now = 0;
  run(table, now, 100, [](int, double) { return true; });
  // Eight of ten nodes fall silent at once for five minutes. Node 0 fails at that moment and does not come back.
  const auto cut = [](int node, double at) { return node >= 8 || (at >= 400 && node != 0); };
  std::vector<Seen> seen = run(table, now, 400, cut);
  ck_assert(seen.empty());
  ck_assert(table.in_doubt());
  ck_assert(table.state(3) == Liveness::unknown);
  ck_assert(table.state(9) == Liveness::up);
  seen = run(table, now, 500, cut);
  ck_assert(!table.in_doubt());
  int up = 0;
  for (const Seen& s : seen) {
    if (s.event.node == 0) {
      ck_assert(s.event.change == Change::down);
      ck_assert_double_le(s.event.since_s, 100);  // the time of its last heartbeat
      continue;
    }
    ck_assert(s.event.change == Change::up && s.event.doubted && !s.event.was_down);
    ck_assert_double_ge(s.event.silent_s, 300);
    ++up;
  }
  ck_assert_int_eq(up, 7);
  ck_assert_uint_eq(seen.size(), 8);
  ck_assert(table.state(0) == Liveness::down);
}
END_TEST

// placement-monitor(8): the observer is suspected when more than half of the nodes, and at least three, fall silent at
// once.
START_TEST(more_than_half_and_at_least_three) {
  for (int nodes = 1; nodes <= 12; ++nodes)
    for (int silent = 0; silent <= nodes; ++silent) {
      LivenessTable table(nodes);
      double now = 0;
      run(table, now, 100, [](int, double) { return true; });
      const std::vector<Seen> seen = run(table, now, 140, [silent](int node, double) { return node >= silent; });
      const bool doubt = silent >= 3 && 2 * silent > nodes;
      ck_assert_msg(table.in_doubt() == doubt, "%d of %d", silent, nodes);
      ck_assert_uint_eq(seen.size(), doubt ? 0 : static_cast<std::size_t>(silent));
    }
}
END_TEST

START_TEST(what_slurm_holds_for_down_ends_the_doubt) {
  LivenessTable table(10);
  double now = 0;
  run(table, now, 100, [](int, double) { return true; });
  const auto cut = [](int node, double) { return node >= 8; };
  ck_assert(run(table, now, 200, cut).empty());
  for (int node = 0; node < 8; ++node) table.take_slurm_view(node, SlurmView::down);
  const std::vector<Seen> seen = run(table, now, 210, cut);
  ck_assert_uint_eq(seen.size(), 8);
  ck_assert(!table.in_doubt());
  // There is no doubt either when most of a machine is shut down on purpose.
  LivenessTable other(10);
  now = 0;
  run(other, now, 100, [](int, double) { return true; });
  for (int node = 0; node < 8; ++node) other.take_slurm_view(node, SlurmView::planned);
  ck_assert_uint_eq(run(other, now, 200, cut).size(), 8);
}
END_TEST

START_TEST(few_nodes_may_all_die) {
  LivenessTable table(2);
  double now = 0;
  run(table, now, 100, [](int, double) { return true; });
  ck_assert_uint_eq(run(table, now, 140, [](int, double) { return false; }).size(), 2);
  ck_assert(!table.in_doubt());
}
END_TEST

START_TEST(the_observer_was_paused) {
  LivenessTable table(2);
  double now = 0;
  run(table, now, 100, [](int, double) { return true; });
  // The monitor is stopped for ten minutes, and the heartbeats of this time are lost.
  now = 700;
  const std::vector<Seen> seen = run(table, now, 800, [](int node, double) { return node == 0; });
  ck_assert_uint_eq(seen.size(), 2);
  ck_assert_int_eq(seen[0].event.node, 0);
  ck_assert(seen[0].event.change == Change::up && !seen[0].event.was_down);
  ck_assert_int_eq(seen[1].event.node, 1);
  ck_assert(seen[1].event.change == Change::down);
  ck_assert_double_ge(seen[1].at_s, 714);  // the node got the usual time after the pause
  ck_assert_double_lt(seen[1].event.since_s, 100);
}
END_TEST

START_TEST(expected_and_gone_by_order) {
  LivenessTable table(3);
  double now = 50;
  table.tick(now);
  table.expect(0, now);
  table.expect(1, now);
  ck_assert(table.state(0) == Liveness::unknown);
  std::vector<Seen> seen = run(table, now, 100, [](int node, double) { return node == 0; });
  ck_assert_uint_eq(seen.size(), 2);
  ck_assert(seen[0].event.node == 0 && seen[0].event.change == Change::up);
  ck_assert(seen[1].event.node == 1 && seen[1].event.change == Change::down);
  ck_assert_double_eq(seen[1].event.since_s, 50);
  ck_assert(table.state(2) == Liveness::unknown);

  table.left(0);
  seen = run(table, now, 200, [](int, double) { return false; });
  ck_assert(seen.empty());
  ck_assert(table.state(0) == Liveness::unknown);
  table.take_slurm_view(0, SlurmView::down);
  ck_assert(table.state(0) == Liveness::down);
  seen = run(table, now, 210, [](int node, double) { return node == 0; });
  ck_assert_uint_eq(seen.size(), 1);
  ck_assert(seen[0].event.change == Change::up && !seen[0].event.was_down);
  ck_assert(table.state(0) == Liveness::up);
}
END_TEST

// The table of doc/live-state.md, row by row, with the signals in its order.
START_TEST(phases) {
  using enum Phase;
  constexpr Phase table[][5] = {
      {up, left, suspect, unknown, unknown},  // unknown
      {up, left, up, suspect, up},            // up
      {up, left, suspect, suspect, down},     // suspect
      {up, left, down, down, down},           // down
      {up, left, left, left, left},           // left
  };
  for (int phase = 0; phase < 5; ++phase)
    for (int signal = 0; signal < 5; ++signal)
      ck_assert_msg(phase_after(static_cast<Phase>(phase), static_cast<Signal>(signal)) == table[phase][signal],
                    "phase %d, signal %d", phase, signal);
}
END_TEST

START_TEST(no_nodes) {
  LivenessTable table(0);
  ck_assert(table.tick(1).empty());
  ck_assert(!table.in_doubt());
}
END_TEST

START_TEST(causes) {
  struct Case {
    bool over, rebooted, agent_restarted, planned, slurm_missed, slurm_sees_it;
    const char* cause;
    bool counted;
  };
  for (const Case& c : {Case{false, false, false, false, false, false, "silent", true},
                        Case{false, false, false, false, true, false, "silent", true},
                        Case{false, false, false, false, false, true, "agent", false},
                        Case{false, false, false, false, true, true, "silent", true},
                        Case{false, false, false, true, false, false, "planned", false},
                        Case{true, false, false, false, false, false, "link", true},
                        Case{true, false, false, false, true, false, "link", true},
                        Case{true, true, false, false, false, false, "reboot", true},
                        Case{true, true, false, true, false, false, "planned", false},
                        Case{true, false, true, false, false, false, "agent", false},
                        Case{true, false, true, false, true, false, "silent", true}}) {
    const OutageCause judged = cause_of_silence({c.over,
                                                 c.rebooted          ? Comeback::rebooted
                                                 : c.agent_restarted ? Comeback::agent_restarted
                                                                     : Comeback::as_before,
                                                 c.planned, c.slurm_missed, c.slurm_sees_it});
    ck_assert_text_eq(std::string(judged.cause), c.cause);
    ck_assert_int_eq(judged.counted, c.counted);
  }
}
END_TEST

// The table of doc/live-state.md.
START_TEST(phases_of_an_outage) {
  constexpr OutagePhase none = OutagePhase::none, silent = OutagePhase::silent, slurmd = OutagePhase::slurmd;
  const struct {
    OutagePhase from, lost, slurmd_missed, slurmd_back, heard;
  } rows[] = {{none, silent, slurmd, none, none},
              {silent, silent, silent, silent, none},
              {slurmd, silent, slurmd, none, slurmd}};
  for (const auto& row : rows) {
    ck_assert(outage_phase_after(row.from, OutageSignal::lost) == row.lost);
    ck_assert(outage_phase_after(row.from, OutageSignal::slurmd_missed) == row.slurmd_missed);
    ck_assert(outage_phase_after(row.from, OutageSignal::slurmd_back) == row.slurmd_back);
    ck_assert(outage_phase_after(row.from, OutageSignal::heard) == row.heard);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("liveness");
  TCase* tests = tcase_create("liveness");
  tcase_add_test(tests, silence_becomes_an_outage);
  tcase_add_test(tests, how_long_a_node_may_be_silent);
  tcase_add_test(tests, lost_heartbeats_are_no_outage);
  tcase_add_test(tests, heard_again_is_a_sign_of_life_alone);
  tcase_add_test(tests, the_observer_is_suspected);
  tcase_add_test(tests, more_than_half_and_at_least_three);
  tcase_add_test(tests, what_slurm_holds_for_down_ends_the_doubt);
  tcase_add_test(tests, few_nodes_may_all_die);
  tcase_add_test(tests, the_observer_was_paused);
  tcase_add_test(tests, expected_and_gone_by_order);
  tcase_add_test(tests, phases);
  tcase_add_test(tests, no_nodes);
  tcase_add_test(tests, causes);
  tcase_add_test(tests, phases_of_an_outage);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// What a monitor that starts again, or another monitor, knows of nodes from the history.
#include "monitor/monitor/node_watch.hpp"

#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <set>

#include "tests/check.hpp"
#include "tests/monitor/node_watch_scene.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::monitor;
using namespace placement::protocol;

namespace {

// Returns what a monitor publishes of each node, in numbers that another monitor with this history must also publish.
std::vector<std::string> published(const Scene& scene) {
  std::vector<std::string> lines;
  for (const NodeState& node : scene.watch->states(scene.at(), 86400)) {
    char text[160];
    std::snprintf(text, sizeof text, "%s: %ld outages in %.3f s, probability %.9g", node.name.c_str(),
                  static_cast<long>(node.outages), node.observed_s, node.outage_probability);
    lines.emplace_back(text);
  }
  return lines;
}

void happen(Scene& scene, std::mt19937& random) {
  const int node = static_cast<int>(random() % 6);
  const std::string name = "n" + std::to_string(node);
  switch (random() % 9) {
    case 0: scene.away.contains(node) ? scene.away.erase(node) : scene.away.insert(node).second; break;
    case 1: scene.away.erase(node); break;
    case 2: ++scene.boot[node]; break;
    case 3: ++scene.agent[node]; break;
    case 4: scene.beat[node].flags ^= slurmd_running; break;
    case 5: scene.slurm(name, SlurmView::not_responding); break;
    case 6: scene.slurm(name, SlurmView::responding); break;
    case 7: scene.slurm(name, random() % 2 == 0 ? SlurmView::down : SlurmView::planned); break;
    case 8: scene.full = random() % 4 == 0; break;
  }
}

}  // namespace

START_TEST(a_monitor_that_starts_again) {
  Scene scene;
  scene.run(100);
  scene.away = {1};
  scene.run(40);
  ck_assert_text_eq(scene.outages(), "n1 silent counted lasts");
  // The monitor is killed, so that nothing is written at the end. It is away for 20 s, and n4 fails in this time.
  scene.now += 20;
  scene.away = {1, 4};
  scene.start();
  scene.run(40);
  ck_assert_text_eq(scene.outages(), "n1 silent counted lasts, n4 silent counted lasts");
  scene.away = {};
  scene.uptime = 10;  // both nodes have rebooted
  scene.run(10);
  ck_assert_text_eq(scene.outages(), "n1 reboot counted, n4 reboot counted");
  const std::vector<NodeState> states = scene.watch->states(scene.at(), 86400);
  ck_assert_int_eq(states[1].outages, 1);
  ck_assert_double_gt(states[0].observed_s, 100);
  ck_assert_double_lt(states[0].observed_s, 215);
}
END_TEST

// An agent that is stopped leaves no outage, even if the monitor starts again before it is back.
START_TEST(a_monitor_that_starts_again_knows_who_was_told_to_end) {
  Scene scene;
  scene.run(100);
  scene.beat[3].flags = leaving;
  scene.run(5);
  scene.away = {3};
  scene.run(10);
  scene.start();
  scene.run(100);
  ck_assert_text_eq(scene.outages(), "");
  ck_assert(scene.watch->liveness(3) == Liveness::unknown);
  // The agent is back, and then its node fails while the monitor does not run.
  scene.beat[3].flags = 0;
  scene.away = {};
  scene.run(20);
  scene.away = {3};
  scene.start();
  scene.run(100);
  ck_assert_text_eq(scene.outages(), "n3 silent counted lasts");
}
END_TEST

// After any events in any order, a monitor that starts with the history has the numbers and estimates of this monitor.
// No two outages on record are one_outage().
START_TEST(another_monitor_would_say_what_this_one_says) {
  std::mt19937 random(static_cast<unsigned>(_i));
  Scene scene;
  all_run_slurmd(scene);
  scene.run(10);
  for (int step = 0; step < 150; ++step) {
    happen(scene, random);
    scene.run(1 + static_cast<int>(random() % 70));
  }
  scene.full = false;
  scene.away.clear();
  all_run_slurmd(scene);
  for (int node = 0; node < 6; ++node) scene.slurm("n" + std::to_string(node), SlurmView::responding);
  scene.run(400);
  scene.watch->save_spans(true);
  scene.history->commit();
  const std::vector<std::string> before = published(scene);
  const std::vector<OutageRecord> outages = scene.history->outages();
  scene.start();
  const std::vector<std::string> after = published(scene);
  for (std::size_t node = 0; node < before.size(); ++node) ck_assert_text_eq(before[node], after[node]);
  for (std::size_t i = 0; i < outages.size(); ++i) {
    ck_assert(!outages[i].lasts());
    OutageRecord later = outages[i];
    later.cause = "silent";  // an outage may get the cause slurmd after it began
    for (std::size_t k = 0; k < i; ++k) ck_assert(later.node != outages[k].node || !one_outage(later, outages[k]));
  }
}
END_TEST

// While the disk accepts no writes, nodes are still judged, and the records are written later.
START_TEST(the_history_cannot_be_written) {
  Scene scene;
  all_run_slurmd(scene);
  scene.run(60);
  scene.full = true;
  scene.away = {2};
  scene.run(40);
  ck_assert(scene.watch->liveness(2) == Liveness::down);
  scene.away.clear();
  scene.boot[3] = 1;  // n3 has a quick reboot
  scene.run(20);
  ck_assert(scene.watch->liveness(2) == Liveness::up);
  ck_assert_text_eq(scene.outages(), "");
  ck_assert_uint_gt(scene.history->kept(), 0);
  scene.full = false;
  scene.run(1);
  ck_assert_text_eq(scene.outages(), "n2 link counted, n3 reboot counted");
  ck_assert_uint_eq(scene.history->kept(), 0);
}
END_TEST

// The end of an outage is never before its beginning.
START_TEST(the_clock_is_set_back_during_an_outage) {
  Scene scene;
  scene.run(60);
  scene.away = {1};
  scene.run(40);
  scene.clock_s -= 3600;
  scene.run(10);
  scene.away = {};
  scene.run(20);
  ck_assert_text_eq(scene.outages(), "n1 link counted");
  ck_assert_uint_eq(scene.history->outages().size(), 1);
  ck_assert_double_eq(scene.history->outages()[0].ended_at_s, scene.history->outages()[0].began_at_s);
}
END_TEST

// The time by which the clock was set does not count as observed.
START_TEST(the_clock_is_set) {
  for (const double jump_s : {3600.0, -3600.0, 40.0 * 86400}) {
    Scene scene;
    all_run_slurmd(scene);
    scene.run(300);
    scene.clock_s += jump_s;
    scene.run(300);
    ck_assert(scene.said.find(jump_s > 0 ? " forward" : " back") != std::string::npos);
    ck_assert_text_eq(scene.outages(), "");
    for (int node = 0; node < 6; ++node) ck_assert(scene.watch->liveness(node) == Liveness::up);
    for (const NodeState& node : scene.watch->states(scene.at(), 3600)) {
      ck_assert_double_ge(node.observed_s, 580);
      ck_assert_double_le(node.observed_s, 601);
      ck_assert_double_le(node.age_s, 6);
    }
    scene.away = {1};
    scene.run(40);
    scene.away.clear();
    scene.run(20);
    ck_assert_text_eq(scene.outages(), "n1 link counted");
    const OutageRecord outage = scene.history->outages().front();
    ck_assert_double_le(outage.ended_at_s - outage.began_at_s, 60);
    ck_assert_double_ge(outage.began_at_s, scene.at().wall_s - 80);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("node_watch_restart");
  TCase* tests = tcase_create("node_watch");
  tcase_add_test(tests, a_monitor_that_starts_again);
  tcase_add_test(tests, a_monitor_that_starts_again_knows_who_was_told_to_end);
  tcase_add_loop_test(tests, another_monitor_would_say_what_this_one_says, 0, 60);
  tcase_add_test(tests, the_history_cannot_be_written);
  tcase_add_test(tests, the_clock_is_set_back_during_an_outage);
  tcase_add_test(tests, the_clock_is_set);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

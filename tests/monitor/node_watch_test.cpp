// SPDX-License-Identifier: GPL-2.0-or-later
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

START_TEST(silent_and_back) {
  Scene scene;
  all_run_slurmd(scene);
  scene.run(60);
  ck_assert_text_eq(scene.outages(), "");
  scene.away = {1, 2};
  scene.run(40);
  ck_assert_text_eq(scene.outages(), "n1 silent counted lasts, n2 silent counted lasts");
  ck_assert(scene.watch->liveness(1) == Liveness::down);
  scene.away = {};
  scene.boot[1] = 1;  // n1 rebooted
  scene.agent[1] = 1;
  scene.agent[2] = 1;  // the agent of n2 was restarted
  scene.run(10);
  ck_assert_text_eq(scene.outages(), "n1 reboot counted, n2 agent not");
  const std::vector<NodeState> states = scene.watch->states(scene.at(), 86400);
  ck_assert_int_eq(states[1].outages, 1);
  ck_assert_int_eq(states[2].outages, 0);
  ck_assert(states[1].liveness == Liveness::up);
  ck_assert_double_ge(states[0].observed_s, 100);
  ck_assert_double_lt(states[1].observed_s, 80);  // only the time when it was up
  ck_assert_double_gt(states[0].outage_probability, 0);
  ck_assert_int_eq(scene.watch->outages(), 2);
}
END_TEST

// All this happens within one hour, before there are enough outages to compare estimators.
START_TEST(a_node_that_fails_again_and_again) {
  Scene scene;
  all_run_slurmd(scene);
  scene.run(60);
  for (int times = 1; times <= 3; ++times) {
    scene.away = {1};
    scene.run(40);
    scene.away = {};
    scene.boot[1] = times;
    scene.run(80);
  }
  scene.away = {2};  // only the agent of n2 is away, which is not an outage
  scene.run(40);
  scene.away = {};
  scene.agent[2] = 1;
  scene.run(20);
  const auto probability = [&](std::size_t node) {
    return scene.watch->states(scene.at(), 3600)[node].outage_probability;
  };
  // This is (0.5 + 3) / (0.5 + 0), apart from the time of observation.
  ck_assert_double_eq_tol(probability(1) / probability(0), 7, 0.05);
  ck_assert_double_eq_tol(probability(2) / probability(0), 1, 0.001);
  const double before = probability(1);
  scene.start();  // another monitor reads the outages of this hour from the history
  scene.run(10);
  ck_assert_double_eq_tol(probability(1), before, 1e-5);
  scene.run(3600);  // the hour ends
  ck_assert_double_eq_tol(probability(1) / probability(0), 7, 0.1);
}
END_TEST

// The last heartbeat is in one hour and the outage is noticed in the next. It counts at once, and only once.
START_TEST(an_outage_at_the_end_of_an_hour) {
  Scene scene;
  all_run_slurmd(scene);
  const auto probability = [&](std::size_t node) {
    return scene.watch->states(scene.at(), 3600)[node].outage_probability;
  };
  scene.run(2690);  // the next hour begins ten seconds later
  scene.away = {1};
  scene.run(5);
  ck_assert_text_eq(scene.outages(), "");
  scene.run(40);
  ck_assert_text_eq(scene.outages(), "n1 silent counted lasts");
  ck_assert_double_eq_tol(probability(1) / probability(0), 3, 0.05);
  scene.away = {};
  scene.boot[1] = 1;
  scene.run(20);
  ck_assert_double_eq_tol(probability(1) / probability(0), 3, 0.05);
  scene.run(3600);
  ck_assert_double_eq_tol(probability(1) / probability(0), 3, 0.05);
}
END_TEST

START_TEST(the_link_and_what_slurm_adds) {
  Scene scene;
  scene.run(60);
  scene.away = {1, 2, 3};
  scene.slurm("n3", SlurmView::planned);
  scene.run(40);
  scene.slurm("n2", SlurmView::down);
  ck_assert_text_eq(scene.outages(), "n1 silent counted lasts, n2 silent counted lasts, n3 planned not lasts");
  // An order to drain the node after its failure does not make the outage a planned one.
  scene.slurm("n1", SlurmView::planned);
  ck_assert(scene.outages().find("n1 silent counted lasts") != std::string::npos);
  scene.away = {};
  scene.agent[2] = 1;
  scene.run(10);
  ck_assert_text_eq(scene.outages(), "n1 link counted, n2 silent counted, n3 planned not");
}
END_TEST

START_TEST(slurm_sees_it_all_the_time) {
  Scene scene;
  scene.run(60);
  scene.away = {1};
  for (int i = 0; i < 30; ++i) {
    scene.slurm("n1", SlurmView::responding);
    scene.run(10);
  }
  ck_assert_text_eq(scene.outages(), "n1 agent not lasts");
  ck_assert_int_eq(scene.watch->states(scene.at(), 1)[1].outages, 0);
}
END_TEST

START_TEST(a_quick_reboot) {
  Scene scene;
  scene.run(60);
  scene.boot[4] = 1;
  scene.run(10);
  ck_assert_text_eq(scene.outages(), "n4 reboot counted");
  scene.slurm("n5", SlurmView::planned);
  scene.boot[5] = 1;
  scene.run(10);
  ck_assert_text_eq(scene.outages(), "n4 reboot counted, n5 planned not");
}
END_TEST

START_TEST(slurmd_alone) {
  Scene scene;
  all_run_slurmd(scene);
  scene.run(60);
  scene.beat[0].flags = 0;
  scene.run(14);
  ck_assert_text_eq(scene.outages(), "");
  scene.run(2);  // placement-monitor(8): 15 seconds after its agent has ceased to see slurmd
  ck_assert_text_eq(scene.outages(), "n0 slurmd counted lasts");
  ck_assert(scene.watch->liveness(0) == Liveness::down && !scene.watch->usable(0));
  scene.beat[0].flags = slurmd_running;
  scene.run(6);
  ck_assert_text_eq(scene.outages(), "n0 slurmd counted");
  ck_assert(scene.watch->usable(0));
  // Only slurmctld misses this slurmd, in two answers.
  scene.slurm("n1", SlurmView::responding);
  scene.slurm("n1", SlurmView::not_responding);
  ck_assert_text_eq(scene.outages(), "n0 slurmd counted");
  scene.run(5);
  scene.slurm("n1", SlurmView::not_responding);
  ck_assert(scene.watch->liveness(1) == Liveness::down);
  scene.slurm("n1", SlurmView::responding);
  scene.run(6);
  ck_assert(scene.watch->liveness(1) == Liveness::up);
  ck_assert(scene.outages().ends_with("n1 slurmd counted"));
}
END_TEST

START_TEST(told_to_end) {
  Scene scene;
  scene.run(60);
  scene.beat[3].flags = leaving;
  scene.run(5);
  scene.away = {3};
  scene.run(100);
  ck_assert_text_eq(scene.outages(), "");
  ck_assert(scene.watch->liveness(3) == Liveness::unknown);
  scene.boot[3] = 1;  // the node is back from an orderly reboot
  scene.agent[3] = 1;
  scene.beat[3].flags = 0;
  scene.away = {};
  scene.run(20);
  ck_assert_text_eq(scene.outages(), "");
  ck_assert(scene.watch->liveness(3) == Liveness::up);
  scene.boot[3] = 2;  // the next one comes without a word of the agent
  scene.run(20);
  ck_assert_text_eq(scene.outages(), "n3 reboot counted");
}
END_TEST

// A heartbeat is repeated when its acknowledgement is lost, and may be overtaken by a later one.
START_TEST(heard_again) {
  Scene scene;
  scene.run(60);
  Heartbeat again = scene.beat[1];
  again.follows = "head";
  again.state.cpu_load = {77, 77, 77};
  scene.away.insert(1);
  for (int i = 0; i < 20; ++i) {
    scene.run(3);
    scene.watch->heartbeat(1, again, scene.at());
  }
  ck_assert(scene.watch->liveness(1) == Liveness::up);
  ck_assert_text_eq(scene.watch->last_beat(1).follows, "head");
  ck_assert_double_ne(scene.watch->states(scene.at(), 3600)[1].cpu_load.minutes_1, 77);
  --again.number;  // an older heartbeat changes nothing
  again.follows = "other";
  scene.watch->heartbeat(1, again, scene.at());
  ck_assert_text_eq(scene.watch->last_beat(1).follows, "head");
  ck_assert_text_eq(scene.outages(), "");
  // After the last heartbeat of an agent, a late one does not make the node up again.
  scene.away.erase(1);
  scene.beat[1].flags = leaving;
  scene.run(5);
  scene.away.insert(1);
  again = scene.beat[1];
  again.flags = 0;
  --again.number;
  scene.watch->heartbeat(1, again, scene.at());
  scene.run(2);
  ck_assert(scene.watch->liveness(1) == Liveness::unknown);
}
END_TEST

START_TEST(all_silent_at_once_and_one_really_gone) {
  Scene scene;
  scene.run(60);
  scene.away = {0, 1, 2, 3, 4, 5};
  scene.run(120);
  ck_assert_text_eq(scene.outages(), "");
  ck_assert(scene.watch->table().in_doubt());
  scene.away = {};
  scene.boot[2] = 1;  // a reboot shows that n2 was away, even though the observer was in doubt
  scene.run(30);
  ck_assert_text_eq(scene.outages(), "n2 reboot counted");
  ck_assert(scene.said.find("this monitor") != std::string::npos);
}
END_TEST

START_TEST(slurmctld_is_cut_off_with_it) {
  Scene scene;
  scene.run(60);
  const auto all_say = [&scene](SlurmView view) {
    std::vector<SlurmNode> says;
    for (int i = 0; i < 6; ++i) says.push_back({"n" + std::to_string(i), view, {}});
    scene.watch->take_slurm_answer(says, scene.at());
  };
  all_say(SlurmView::responding);
  scene.away = {0, 1, 2, 3, 4, 5};
  scene.run(60);
  all_say(SlurmView::down);
  scene.run(60);
  ck_assert(scene.watch->table().in_doubt());
  scene.away = {};
  scene.run(20);
  all_say(SlurmView::down);  // slurmctld has not heard the nodes again yet
  scene.run(6);
  all_say(SlurmView::down);
  ck_assert_text_eq(scene.outages(), "");
  for (int i = 0; i < 6; ++i) ck_assert(scene.watch->liveness(i) == Liveness::up);
}
END_TEST

// A third of the nodes fails, as behind one switch. This is less than half, so the nodes are judged and not the
// observer.
START_TEST(a_leaf_switch_fails) {
  Scene scene;
  all_run_slurmd(scene);
  scene.run(60);
  scene.away = {4, 5};
  scene.run(60);
  ck_assert_text_eq(scene.outages(), "n4 silent counted lasts, n5 silent counted lasts");
  scene.away.clear();
  scene.run(20);
  ck_assert_text_eq(scene.outages(), "n4 link counted, n5 link counted");
}
END_TEST

// A link is away for 35 s. Slurm finds this out late, and also that the link is back. That is not a second outage.
START_TEST(one_flap_of_a_link_is_one_outage) {
  Scene scene;
  all_run_slurmd(scene);
  scene.slurm("n1", SlurmView::responding);
  scene.run(60);
  scene.slurm("n1", SlurmView::responding);
  scene.away = {1};
  scene.run(25);
  scene.slurm("n1", SlurmView::responding);  // slurmctld has not pinged the node in this time
  scene.run(10);
  scene.slurm("n1", SlurmView::not_responding);
  scene.away.clear();
  for (int i = 0; i < 4; ++i) {
    scene.run(10);
    scene.slurm("n1", SlurmView::not_responding);
  }
  scene.slurm("n1", SlurmView::responding);
  scene.run(30);
  ck_assert_text_eq(scene.outages(), "n1 link counted");
  ck_assert_int_eq(scene.watch->states(scene.at(), 1)[1].outages, 1);
  ck_assert_int_eq(scene.watch->outages(), 1);
  // In the next outage, slurmctld reports a lost ping after the node is back.
  scene.run(600);
  scene.away = {1};
  scene.run(30);
  scene.away.clear();
  scene.run(15);
  scene.slurm("n1", SlurmView::responding);
  scene.run(10);
  scene.slurm("n1", SlurmView::not_responding);
  scene.run(10);
  scene.slurm("n1", SlurmView::not_responding);
  ck_assert(scene.watch->liveness(1) == Liveness::down);  // slurmctld starts no job there as long as it misses slurmd
  scene.run(60);
  scene.slurm("n1", SlurmView::responding);
  scene.run(30);
  ck_assert(scene.watch->liveness(1) == Liveness::up);
  ck_assert_int_eq(scene.watch->states(scene.at(), 1)[1].outages, 2);
  ck_assert_uint_eq(scene.history->outages().size(), 2);
  // The slurmd of a node that rebooted starts later than its agent.
  scene.run(600);
  scene.away = {2};
  scene.run(40);
  scene.away.clear();
  scene.boot[2] = 1;
  scene.beat[2].flags = 0;
  scene.run(40);
  ck_assert(scene.watch->liveness(2) == Liveness::down);
  scene.beat[2].flags = slurmd_running;
  scene.run(30);
  ck_assert(scene.watch->liveness(2) == Liveness::up);
  ck_assert_int_eq(scene.watch->states(scene.at(), 1)[2].outages, 1);
  ck_assert_text_eq(scene.outages(), "n1 link counted, n2 reboot counted");
}
END_TEST

// More than half of the nodes fall silent. No node is given up, and no outage is left when they are back.
START_TEST(most_nodes_fall_silent) {
  Scene scene;
  all_run_slurmd(scene);
  scene.run(60);
  scene.away = {0, 1, 2, 3};
  scene.run(600);
  ck_assert(scene.watch->table().in_doubt());
  for (const int node : scene.away) ck_assert(scene.watch->liveness(node) == Liveness::unknown);
  ck_assert(scene.watch->liveness(4) == Liveness::up);
  ck_assert_text_eq(scene.outages(), "");
  scene.away.clear();
  scene.run(30);
  ck_assert(!scene.watch->table().in_doubt());
  for (int node = 0; node < 6; ++node) ck_assert(scene.watch->liveness(node) == Liveness::up);
  ck_assert_text_eq(scene.outages(), "");
}
END_TEST

int main() {
  Suite* suite = suite_create("node_watch");
  TCase* tests = tcase_create("node_watch");
  tcase_add_test(tests, silent_and_back);
  tcase_add_test(tests, a_node_that_fails_again_and_again);
  tcase_add_test(tests, an_outage_at_the_end_of_an_hour);
  tcase_add_test(tests, the_link_and_what_slurm_adds);
  tcase_add_test(tests, slurm_sees_it_all_the_time);
  tcase_add_test(tests, a_quick_reboot);
  tcase_add_test(tests, slurmd_alone);
  tcase_add_test(tests, told_to_end);
  tcase_add_test(tests, heard_again);
  tcase_add_test(tests, all_silent_at_once_and_one_really_gone);
  tcase_add_test(tests, slurmctld_is_cut_off_with_it);
  tcase_add_test(tests, a_leaf_switch_fails);
  tcase_add_test(tests, one_flap_of_a_link_is_one_outage);
  tcase_add_test(tests, most_nodes_fall_silent);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

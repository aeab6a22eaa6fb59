// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/leader_election.hpp"

#include <memory>
#include <set>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;
using namespace placement::protocol;

namespace {

// Monitors and one agent. The test decides which monitors run and who can reach whom.
struct Machine {
  explicit Machine(int monitors, double now = 1000)
      : now(now),
        runs(static_cast<std::size_t>(monitors), false),
        at(runs.size()) {
    for (int i = 0; i < monitors; ++i) start(i);
  }
  void start(int i) {
    at[static_cast<std::size_t>(i)] =
        std::make_unique<LeaderElection>(i, "head" + std::to_string(i), LeaderElectionSettings{}, now);
    runs[static_cast<std::size_t>(i)] = true;
  }
  void kill(int i) { runs[static_cast<std::size_t>(i)] = false; }

  // Advances by one second at a time. The monitors send in every second step, the agent in every fifth.
  void run(double seconds) {
    for (const double end = now + seconds; now < end; now += 1) {
      for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = 0; j < at.size(); ++j)
          if (i != j && runs[i] && runs[j] && connected && static_cast<int>(now) % 2 == 0)
            at[j]->hear_monitor(static_cast<int>(i), at[i]->term(now), now);
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (!runs[i]) continue;
        if (agent && static_cast<int>(now) % 5 == 0) {
          LeaderTerm says = heard;
          says.age_ms = static_cast<std::uint32_t>((now - heard_s) * 1000);
          at[i]->hear_agent(says, now);
          const LeaderTerm told = at[i]->term(now);
          const double told_s = now - told.age_ms / 1000.0;
          if (told.term > heard.term || (told.term == heard.term && told_s > heard_s)) heard = told, heard_s = told_s;
        }
        at[i]->tick(now, static_cast<std::uint64_t>(now * 1000));
      }
      std::set<int> now_leaders = leaders();
      if (now_leaders.size() > 1) ++seconds_with_two;
      if (now_leaders.empty()) ++seconds_with_none;
    }
  }
  std::set<int> leaders() const {
    std::set<int> those;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (runs[i] && at[i]->is_leader()) those.insert(static_cast<int>(i));
    return those;
  }

  double now;
  std::vector<bool> runs;
  std::vector<std::unique_ptr<LeaderElection>> at;
  bool connected = true, agent = true;
  LeaderTerm heard;
  double heard_s = 0;
  int seconds_with_two = 0, seconds_with_none = 0;
};

}  // namespace

START_TEST(alone) {
  Machine machine(1);
  ck_assert_uint_eq(machine.at[0]->term(machine.now).term, 0);
  machine.run(20);
  ck_assert(machine.leaders() == std::set<int>{0});
  const LeaderTerm term = machine.at[0]->term(machine.now);
  ck_assert_text_eq(term.leader, "head0");
  ck_assert_uint_gt(term.term, 1000);
  ck_assert_uint_gt(term.remaining_ms, 20000);
  // The monitor is killed and started again. Its new term is larger, although the agent still reports the old one.
  machine.kill(0);
  machine.run(3);
  machine.start(0);
  machine.run(17);
  ck_assert(machine.leaders() == std::set<int>{0});
  ck_assert_uint_gt(machine.at[0]->term(machine.now).term, term.term);
}
END_TEST

// placement-monitor(8): when the leader has not been heard of for 10 seconds, the next one takes over; a monitor that
// comes back listens for 15 seconds.
START_TEST(how_long_a_monitor_waits) {
  LeaderElection first(0, "head0", {}, 1000), second(1, "head1", {}, 1000);
  first.tick(1014.5, 1014500);
  ck_assert(!first.is_leader());
  first.tick(1015, 1015000);
  ck_assert(first.is_leader());
  second.hear_monitor(0, first.term(1100), 1100);
  second.tick(1110, 1110000);
  ck_assert(!second.is_leader());
  second.tick(1110.5, 1110500);
  ck_assert(second.is_leader());
}
END_TEST

START_TEST(one_of_two_and_taking_over) {
  Machine machine(2);
  machine.run(60);
  ck_assert(machine.leaders() == std::set<int>{0});
  const std::uint64_t first = machine.at[1]->term(machine.now).term;
  machine.kill(0);
  machine.seconds_with_none = 0;
  machine.run(60);
  ck_assert(machine.leaders() == std::set<int>{1});
  ck_assert_int_le(machine.seconds_with_none, 16);
  ck_assert_uint_gt(machine.at[1]->term(machine.now).term, first);
  // The first monitor comes back, but does not take over from a leader that runs.
  machine.start(0);
  machine.run(100);
  ck_assert(machine.leaders() == std::set<int>{1});
  machine.kill(1);
  machine.run(30);
  ck_assert(machine.leaders() == std::set<int>{0});
  ck_assert_int_eq(machine.seconds_with_two, 0);
}
END_TEST

START_TEST(they_do_not_reach_each_other) {
  Machine machine(2);
  machine.run(60);
  machine.connected = false;
  machine.run(300);  // the agent tells the second monitor that the first one runs
  ck_assert(machine.leaders() == std::set<int>{0});
  machine.agent = false;  // now the monitors are not connected in any way
  machine.run(100);
  ck_assert_uint_eq(machine.leaders().size(), 2);
  machine.connected = true;
  machine.run(5);
  ck_assert(machine.leaders() == std::set<int>{1});  // this monitor has the larger term
}
END_TEST

START_TEST(three_and_all_dead) {
  Machine machine(3);
  machine.run(30);
  ck_assert(machine.leaders() == std::set<int>{0});
  machine.kill(0);
  machine.run(30);
  ck_assert(machine.leaders() == std::set<int>{1});
  const std::uint64_t term = machine.at[1]->term(machine.now).term;
  machine.kill(1);
  machine.kill(2);
  machine.heard = {};  // the agent has forgotten the term too
  machine.run(1000);
  for (int i = 0; i < 3; ++i) machine.start(i);
  machine.run(30);
  ck_assert(machine.leaders() == std::set<int>{0});
  ck_assert_uint_gt(machine.at[0]->term(machine.now).term, term);
  ck_assert_int_eq(machine.seconds_with_two, 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("leader_election");
  TCase* tests = tcase_create("leader_election");
  tcase_add_test(tests, alone);
  tcase_add_test(tests, how_long_a_monitor_waits);
  tcase_add_test(tests, one_of_two_and_taking_over);
  tcase_add_test(tests, they_do_not_reach_each_other);
  tcase_add_test(tests, three_and_all_dead);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

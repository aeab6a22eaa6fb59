// SPDX-License-Identifier: GPL-2.0-or-later
// The time of decisions and how users share it.
#include "plugins/planning/decision_time_budget.hpp"

#include "tests/check.hpp"

using namespace placement;
using namespace placement::planning;
using std::chrono::milliseconds;

namespace {

const DecisionTimeBudget::Clock::time_point start = DecisionTimeBudget::Clock::time_point{} + std::chrono::hours(1);

// 200 ms in each second in the long run, and 1 s at once.
DecisionTimeBudget new_budget() { return {milliseconds(200), milliseconds(1000)}; }

// Milliseconds of a user who asks for decisions of 5 ms each until his time is used up.
int used_by(DecisionTimeBudget& budget, uid_t user, DecisionTimeBudget::Clock::time_point now) {
  int used = 0;
  for (; used < 10000 && !budget.used_up(user, now); used += 5) budget.spend(user, milliseconds(5), now);
  return used;
}

}  // namespace

START_TEST(one_user) {
  DecisionTimeBudget budget = new_budget();
  ck_assert_int_eq(used_by(budget, 1, start), 750);
  ck_assert(budget.used_up(1, start));
  ck_assert_int_eq(used_by(budget, 1, start + milliseconds(1000)), 200);
  ck_assert_int_eq(used_by(budget, 1, start + milliseconds(4000)), 600);
  ck_assert_int_eq(used_by(budget, 1, start + milliseconds(60000)), 750);
}
END_TEST

// However often it is asked for, no more time is given than has passed.
START_TEST(the_long_run) {
  for (const int step_ms : {1, 7, 100, 3000}) {
    DecisionTimeBudget budget = new_budget();
    int used = 0;
    for (int ms = 0; ms < 30000; ms += step_ms) used += used_by(budget, 1, start + milliseconds(ms));
    ck_assert_int_le(used, 750 + 200 * 30 + 5);
    ck_assert_int_ge(used, 200 * 27);
  }
}
END_TEST

START_TEST(who_floods_starves_himself) {
  DecisionTimeBudget budget = new_budget();
  for (int i = 0; i < 1000; ++i) used_by(budget, 1, start);
  ck_assert(!budget.used_up(2, start));
  ck_assert_int_ge(used_by(budget, 2, start), 185);
  ck_assert(!budget.used_up(3, start));
  ck_assert(budget.used_up(1, start));
  // A user who continues flooding takes nothing from the next user, now or later.
  for (int s = 0; s < 100; ++s) used_by(budget, 1, start + std::chrono::seconds(s));
  ck_assert_int_ge(used_by(budget, 4, start + std::chrono::seconds(100)), 185);
}
END_TEST

// One decision may take longer than all time that is left. Other users then lose only the time that was left.
START_TEST(a_long_decision) {
  DecisionTimeBudget budget = new_budget();
  budget.spend(1, milliseconds(5000), start);
  ck_assert(budget.used_up(1, start) && budget.used_up(2, start));
  ck_assert(budget.used_up(1, start + milliseconds(1000)) && !budget.used_up(2, start + milliseconds(1000)));
  ck_assert(!budget.used_up(1, start + milliseconds(2000)));
}
END_TEST

START_TEST(many_users) {
  DecisionTimeBudget budget = new_budget();
  for (uid_t user = 0; user < 100000; ++user) budget.spend(user, std::chrono::nanoseconds(1), start);
  ck_assert(!budget.used_up(7, start));
  ck_assert_int_lt(used_by(budget, 200000, start), 10000);
}
END_TEST

// A user who comes after more users than are remembered has a share, and cannot starve the next user either.
START_TEST(one_floods_after_many_users) {
  for (const int others : {255, 256, 257, 5000}) {
    DecisionTimeBudget budget = new_budget();
    for (int user = 0; user < others; ++user)
      budget.spend(static_cast<uid_t>(user), std::chrono::microseconds(1), start);
    int used = 0;
    for (int i = 0; i < 100; ++i) used += used_by(budget, 6000, start);
    ck_assert_int_ge(used, 745);
    ck_assert_int_le(used, 755);
    ck_assert(!budget.used_up(6001, start));
    // Many more users who ask once do not make the time of the one who floods forgotten.
    for (int user = 7000; user < 8000; ++user)
      budget.spend(static_cast<uid_t>(user), std::chrono::microseconds(1), start);
    ck_assert(budget.used_up(6000, start));
    ck_assert(!budget.used_up(6001, start));
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("decision_time_budget");
  TCase* tests = tcase_create("decision_time_budget");
  tcase_add_test(tests, one_user);
  tcase_add_test(tests, the_long_run);
  tcase_add_test(tests, who_floods_starves_himself);
  tcase_add_test(tests, a_long_decision);
  tcase_add_test(tests, many_users);
  tcase_add_test(tests, one_floods_after_many_users);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The time of decisions and how users share it.
#include "plugins/select/decision_time_budget.hpp"

#include "tests/check.hpp"

using namespace placement;
using std::chrono::milliseconds;

namespace {

constexpr auto limit = milliseconds(200);
const DecisionTimeBudget::Clock::time_point start = DecisionTimeBudget::Clock::time_point{} + std::chrono::hours(1);

// Milliseconds that a user gets who asks for decisions of 5 ms until he gets none.
int used_by(DecisionTimeBudget& share, uid_t user, DecisionTimeBudget::Clock::time_point now) {
  int used = 0;
  for (; used < 10000 && !share.used_up(user, limit, now); used += 5) share.spend(user, milliseconds(5), now);
  return used;
}

}  // namespace

START_TEST(one_user) {
  DecisionTimeBudget share;
  ck_assert_int_eq(used_by(share, 1, start), 150);
  ck_assert(share.used_up(1, limit, start + milliseconds(999)));
  ck_assert_int_eq(used_by(share, 1, start + milliseconds(1000)), 150);
}
END_TEST

START_TEST(who_floods_starves_himself) {
  DecisionTimeBudget share;
  for (int i = 0; i < 1000; ++i) used_by(share, 1, start);
  ck_assert(!share.used_up(2, limit, start));
  ck_assert_int_ge(used_by(share, 2, start), 35);
  ck_assert(!share.used_up(3, limit, start));
  ck_assert(share.used_up(1, limit, start));
}
END_TEST

// One decision may take longer than all that is left: others are not made to pay for more than there is.
START_TEST(a_long_decision) {
  DecisionTimeBudget share;
  share.spend(1, milliseconds(5000), start);
  ck_assert(share.used_up(1, limit, start) && share.used_up(2, limit, start));
  ck_assert(!share.used_up(2, limit, start + milliseconds(1000)));
}
END_TEST

START_TEST(many_users) {
  DecisionTimeBudget share;
  for (uid_t user = 0; user < 100000; ++user) share.spend(user, std::chrono::nanoseconds(1), start);
  ck_assert(!share.used_up(7, limit, start));
  ck_assert_int_lt(used_by(share, 200000, start), 10000);
}
END_TEST

int main() {
  Suite* suite = suite_create("decision_time_budget");
  TCase* tests = tcase_create("decision_time_budget");
  tcase_add_test(tests, one_user);
  tcase_add_test(tests, who_floods_starves_himself);
  tcase_add_test(tests, a_long_decision);
  tcase_add_test(tests, many_users);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

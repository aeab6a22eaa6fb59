// SPDX-License-Identifier: GPL-2.0-or-later
// How many decisions a user gets when each takes 10 ms by the tests' clock.
#include <chrono>

#include "tests/plugins/decide_fixture.hpp"

using namespace placement;

namespace {

bool says(const placement_plan* plan, const char* part) { return std::strstr(plan->reason, part) != nullptr; }

struct Counts {
  int with_matrix = 0, without_matrix = 0;
};

// Decisions for one job after the other, until there is no more time for them.
Counts use_up(std::uint32_t uid) {
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer(4, 8);
  Counts counts;
  for (;;) {
    placement_request request = request_for(environment, 4);
    request.uid = uid;
    const placement_plan* plan = decide(offer, request);
    if (says(plan, "for this user's decisions")) return counts;
    ck_assert_msg(plan->placed, "%s", plan->reason);
    ++(says(plan, "without the matrix") ? counts.without_matrix : counts.with_matrix);
  }
}

}  // namespace

// placement.conf(5): all decisions have a second of processor time at once, one user three quarters of what others leave.
// After that they are made without the matrix, and none are made after three quarters of 100 ms more.
START_TEST(a_user_has_three_quarters) {
  TestMachine(4, 4).configure();
  DecisionClock::cost = std::chrono::milliseconds(10);
  const Counts counts = use_up(1);
  ck_assert_int_eq(counts.with_matrix, 75);     // 750 ms
  ck_assert_int_eq(counts.without_matrix, 8);   // 80 ms more: at 70 ms there was time for another
  DecisionClock::time += std::chrono::milliseconds(500);  // in which 100 ms have become available
  ck_assert_int_eq(use_up(1).with_matrix, 10);
}
END_TEST

// Another user's jobs are decided all the same, and with their matrix: three quarters of the 250 ms that the first one
// left.
START_TEST(another_user_finds_time) {
  TestMachine(4, 4).configure();
  DecisionClock::cost = std::chrono::milliseconds(10);
  ck_assert_int_eq(use_up(1).with_matrix, 75);
  ck_assert_int_eq(use_up(2).with_matrix, 19);
}
END_TEST

START_TEST(the_site_says_how_much) {
  TestMachine(4, 4).configure("DecisionShare=2");  // 100 ms at once
  DecisionClock::cost = std::chrono::milliseconds(10);
  ck_assert_int_eq(use_up(1).with_matrix, 8);
}
END_TEST

int main() {
  Suite* suite = suite_create("decision_time");
  TCase* cases = tcase_create("decision_time");
  tcase_add_test(cases, a_user_has_three_quarters);
  tcase_add_test(cases, another_user_finds_time);
  tcase_add_test(cases, the_site_says_how_much);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}

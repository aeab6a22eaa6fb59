// SPDX-License-Identifier: GPL-2.0-or-later
// How many decisions a user gets in one second, when each takes 10 ms by the tests' clock.
#include <chrono>

#include "tests/plugins/decide_fixture.hpp"

using namespace placement;

namespace {

using Clock = std::chrono::steady_clock;

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
    if (says(plan, "decisions in this second is used up")) return counts;
    ck_assert_msg(plan->placed, "%s", plan->reason);
    ++(says(plan, "without the matrix") ? counts.without_matrix : counts.with_matrix);
  }
}

// Repeats the test when a new second has begun meanwhile by the real clock, which gives everybody new time.
template <typename Test>
void within_one_second(Test test) {
  DecisionClock::cost = std::chrono::milliseconds(10);
  Clock::time_point began;
  do {
    TestMachine(4, 4).configure();
    began = Clock::now();
    test();
  } while (Clock::now() - began >= std::chrono::seconds(1));
  DecisionClock::cost = {};
}

}  // namespace

// placement.conf(5): all decisions have 200 ms of each second, one user three quarters of what others leave. After that
// they are made without the matrix, and none are made after three quarters of 300 ms.
START_TEST(a_user_has_three_quarters) {
  Counts counts;
  within_one_second([&counts] { counts = use_up(1); });
  ck_assert_int_eq(counts.with_matrix, 15);     // 150 ms
  ck_assert_int_eq(counts.without_matrix, 8);   // 80 ms more: at 220 ms there was time for another
}
END_TEST

// Another user's jobs are decided all the same, and with their matrix: three quarters of the 50 ms that the first one
// left.
START_TEST(another_user_finds_time) {
  int first = 0, second = 0;
  within_one_second([&first, &second] {
    first = second = 0;
    Environment environment = Environment::with_matrix(ring(4));
    const Offer offer(4, 8);
    placement_request request = request_for(environment, 4);
    for (request.uid = 1; first < 15; request.job_id = next_job++, ++first)
      ck_assert(!says(decide(offer, request), "used up"));
    for (request.uid = 2; !says(decide(offer, request), "used up"); request.job_id = next_job++) ++second;
  });
  ck_assert_int_eq(second, 4);
}
END_TEST

int main() {
  Suite* suite = suite_create("decision_time");
  TCase* cases = tcase_create("decision_time");
  tcase_add_test(cases, a_user_has_three_quarters);
  tcase_add_test(cases, another_user_finds_time);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The time that decisions have of each second, by the time that each says it has taken.
#include <chrono>

#include "tests/plugins/decide_fixture.hpp"

using namespace placement;

namespace {

using Clock = std::chrono::steady_clock;

// What a user's decisions have taken when they are first made without the matrix, and when there are no more; each
// without and with the last one before, in microseconds.
struct Taken {
  std::int64_t with_matrix = 0, with_matrix_and_last = 0;
  std::int64_t all = 0, all_and_last = 0;
};

bool says(const placement_plan* plan, const char* part) { return std::strstr(plan->reason, part) != nullptr; }

// Decisions for one job after the other, until there is no more time for them.
Taken use_up(std::uint32_t uid) {
  Environment environment = Environment::with_matrix(ring(96));
  const Offer offer(32, 8);
  Taken taken;
  std::int64_t sum_us = 0, last_us = 0;
  for (;;) {
    placement_request request = request_for(environment, 96);
    request.uid = uid;
    const placement_plan* plan = decide(offer, request);
    if (says(plan, "decisions in this second is used up")) break;
    ck_assert_msg(plan->placed, "%s", plan->reason);
    if (taken.with_matrix_and_last == 0 && says(plan, "without the matrix")) {
      taken.with_matrix = sum_us - last_us;
      taken.with_matrix_and_last = sum_us;
    }
    last_us = plan->time_us;
    sum_us += last_us;
  }
  taken.all = sum_us - last_us;
  taken.all_and_last = sum_us;
  if (taken.with_matrix_and_last == 0) {  // the last one with the matrix took so long that no time is left without it either
    taken.with_matrix = taken.all;
    taken.with_matrix_and_last = taken.all_and_last;
  }
  return taken;
}

}  // namespace

// placement.conf(5): all decisions have 200 ms of each second, one user three quarters of what others leave; after those
// they are made without the matrix, and after 300 ms, shared so too, no more. The last one may take longer.
START_TEST(a_user_has_three_quarters) {
  Clock::time_point began;
  Taken taken;
  do {  // a second that began anew meanwhile has two seconds' decisions in it
    TestMachine(32, 4).configure();
    began = Clock::now();
    taken = use_up(1);
  } while (Clock::now() - began >= std::chrono::seconds(1));
  ck_assert_int_ge(taken.with_matrix_and_last, 150000);
  ck_assert_int_lt(taken.with_matrix, 200000);
  ck_assert_int_ge(taken.all_and_last, 225000);
  ck_assert_int_lt(taken.all, 300000);
}
END_TEST

// Another user's jobs are decided all the same, with their matrix, as far as the last decision has left time.
START_TEST(another_user_finds_time) {
  Clock::time_point began;
  std::int64_t taken_us = 0;
  bool with_matrix = false;
  do {
    TestMachine(32, 4).configure();
    began = Clock::now();
    taken_us = 0;
    Environment environment = Environment::with_matrix(ring(96));
    for (placement_request request = request_for(environment, 96); taken_us < 150000; request.job_id = next_job++) {
      request.uid = 1;
      taken_us += decide(Offer(32, 8), request)->time_us;
    }
    placement_request request = request_for(environment, 96);
    request.uid = 2;
    with_matrix = !says(decide(Offer(32, 8), request), "used up");
  } while (Clock::now() - began >= std::chrono::seconds(1));
  ck_assert(with_matrix || taken_us >= 200000);
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

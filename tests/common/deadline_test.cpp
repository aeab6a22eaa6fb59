// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/deadline.hpp"

#include "tests/check.hpp"

using namespace placement;
using std::chrono::hours;

START_TEST(a_share_of_what_is_left) {
  const Deadline in_ten_hours = Deadline::after(hours(10));
  ck_assert(!in_ten_hours.after_share(0.75).earlier(hours(7)).expired());  // it is 7.5 hours away
  ck_assert(in_ten_hours.after_share(0.75).earlier(hours(8)).expired());
  ck_assert(in_ten_hours.after_share(0).expired());
  ck_assert(!in_ten_hours.after_share(1).earlier(hours(9)).expired());
}
END_TEST

START_TEST(a_share_of_nothing_or_of_no_limit) {
  ck_assert(Deadline::after(-hours(1)).after_share(0.5).expired());
  ck_assert(!Deadline::never().after_share(0).expired());
  std::atomic<bool> told = false;
  const Deadline when_told = Deadline::when(told).after_share(0);
  ck_assert(!when_told.expired());
  told = true;
  ck_assert(when_told.expired());
}
END_TEST

int main() {
  Suite* suite = suite_create("deadline");
  TCase* all = tcase_create("all");
  tcase_add_test(all, a_share_of_what_is_left);
  tcase_add_test(all, a_share_of_nothing_or_of_no_limit);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

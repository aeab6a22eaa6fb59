// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/deadline.hpp"

#include "tests/check.hpp"

using namespace placement;
using std::chrono::seconds;

namespace {

Deadline::Time used, passed;  // what the two clocks show

void set_clocks(Deadline::Time processor, Deadline::Time wall) {
  used = processor;
  passed = wall;
  Deadline::processor_clock = [] { return used; };
  Deadline::wall_clock = [] { return passed; };
}

}  // namespace

START_TEST(processor_time_counts) {
  set_clocks(seconds(100), seconds(1000));
  const Deadline deadline = Deadline::after(seconds(10));
  ck_assert(!deadline.expired());
  set_clocks(seconds(109), seconds(1030));
  ck_assert(!deadline.expired());
  ck_assert(deadline.earlier(seconds(1)).expired());
  set_clocks(seconds(110), seconds(1030));
  ck_assert(deadline.expired());
}
END_TEST

START_TEST(wall_time_is_the_upper_limit) {
  set_clocks(seconds(100), seconds(1000));
  const Deadline deadline = Deadline::after(seconds(10));
  set_clocks(seconds(101), seconds(1000 + 10 * Deadline::wall_factor) - Deadline::Time(1));
  ck_assert(!deadline.expired());
  set_clocks(seconds(101), seconds(1000 + 10 * Deadline::wall_factor));
  ck_assert(deadline.expired());
}
END_TEST

START_TEST(no_time_and_no_limit) {
  set_clocks(seconds(100), seconds(1000));
  ck_assert(Deadline::after(seconds(0)).expired());
  ck_assert(Deadline::after(-seconds(1)).expired());
  ck_assert(!Deadline::never().earlier(seconds(1000)).expired());
  std::atomic<bool> told = false;
  const Deadline when_told = Deadline::when(told).earlier(seconds(1000));
  ck_assert(!when_told.expired());
  told = true;
  ck_assert(when_told.expired());
}
END_TEST

int main() {
  Suite* suite = suite_create("deadline");
  TCase* all = tcase_create("all");
  tcase_add_test(all, processor_time_counts);
  tcase_add_test(all, wall_time_is_the_upper_limit);
  tcase_add_test(all, no_time_and_no_limit);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}

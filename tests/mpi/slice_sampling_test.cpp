// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/slice_sampling.hpp"

#include <cmath>

#include "tests/check.hpp"

using placement::mpi::SliceSampling;

namespace {

struct Sampled {
  double counted = 0;    // messages that were counted, with their weights
  double real = 0;       // messages
  double in_slices = 0;  // messages while counting was on
};

// Sends `rate` messages in each slice for `slices` slices, in rounds of a hundredth of a slice. rate(s) is that of
// slice s.
template <class Rate>
Sampled run(std::uint64_t seed, int slices, Rate rate) {
  SliceSampling sampling(seed, 1000, 0);
  Sampled all;
  bool on = true;
  double rest = 0;
  std::uint64_t counted = 0;
  for (int round = 1; round <= 100 * slices; ++round) {
    rest += rate(round / 100.0) / 100.0;
    const auto messages = static_cast<std::uint64_t>(rest);
    rest -= static_cast<double>(messages);
    all.real += static_cast<double>(messages);
    if (on) {
      counted += messages * sampling.weight();
      all.in_slices += static_cast<double>(messages);
    }
    const std::uint64_t now = 1000 + static_cast<std::uint64_t>(round) * SliceSampling::slice_ticks / 100;
    if (on ? sampling.slice_is_over(now) && sampling.pause_begins(now, counted) : sampling.pause_ends(now)) on = !on;
  }
  all.counted = static_cast<double>(counted);
  return all;
}

}  // namespace

START_TEST(few_messages_are_all_counted) {
  const Sampled all = run(1, 1000, [](double) { return static_cast<double>(SliceSampling::busy_messages - 8); });
  ck_assert(all.counted == all.real);
}
END_TEST

START_TEST(a_short_run_counts_everything) {
  const Sampled all = run(1, SliceSampling::slices_in_full, [](double) { return 1e6; });
  ck_assert(all.counted == all.real);
  ck_assert(run(1, SliceSampling::slices_in_full + 2, [](double) { return 1e6; }).counted < 7.1e6);
}
END_TEST

// doc/mpi.md: a slice is some 25 ms. Of a run of a second less than half is counted, and the sum is near all the same.
START_TEST(a_run_of_a_second_is_counted_in_half_of_its_time) {
  double least = 2, most = 0, mean = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Sampled all = run(seed, 40, [](double) { return 25000.0; });
    ck_assert_double_lt(all.in_slices, 0.5 * all.real);
    least = std::min(least, all.counted / all.real);
    most = std::max(most, all.counted / all.real);
    mean += all.counted / all.real / 100;
  }
  ck_assert_double_gt(least, 0.8);
  ck_assert_double_lt(most, 1.08);
  ck_assert_double_gt(mean, 0.94);
}
END_TEST

START_TEST(many_messages_are_counted_in_a_tenth_of_the_time) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sampled all = run(seed, 2000, [](double) { return 25000.0; });
    const double in_full = 25000.0 * SliceSampling::slices_in_full;
    ck_assert(all.in_slices - in_full < 0.11 * all.real && all.in_slices - in_full > 0.08 * all.real);
    ck_assert(std::abs(all.counted / all.real - 1) < 0.02);
  }
}
END_TEST

START_TEST(phases_of_a_program_keep_their_shares) {
  for (const double period : {3.0, 10.0, 37.0}) {  // in slices, of which the first half sends four times as much
    const auto rate = [&](double slice) { return std::fmod(slice, period) < period / 2 ? 40000.0 : 10000.0; };
    const Sampled all = run(5, 20000, rate);
    ck_assert(std::abs(all.counted / all.real - 1) < 0.05);
  }
}
END_TEST

START_TEST(a_rank_that_becomes_quiet_counts_everything_again) {
  const Sampled loud = run(3, 500, [](double) { return 25000.0; });
  const Sampled both = run(3, 3000, [](double slice) { return slice < 500 ? 25000.0 : 100.0; });
  const double quiet_counted = both.counted - loud.counted, quiet = both.real - loud.real;
  ck_assert(std::abs(quiet_counted - quiet) <
            0.02 * quiet + 12 * 2600);  // a pause at the change stands for loud slices or quiet ones
}
END_TEST

int main() {
  Suite* const suite = suite_create("slice_sampling");
  TCase* const tests = tcase_create("slice_sampling");
  tcase_add_test(tests, few_messages_are_all_counted);
  tcase_add_test(tests, a_short_run_counts_everything);
  tcase_add_test(tests, a_run_of_a_second_is_counted_in_half_of_its_time);
  tcase_add_test(tests, many_messages_are_counted_in_a_tenth_of_the_time);
  tcase_add_test(tests, phases_of_a_program_keep_their_shares);
  tcase_add_test(tests, a_rank_that_becomes_quiet_counts_everything_again);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

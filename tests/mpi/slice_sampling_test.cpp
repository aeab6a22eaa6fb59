// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/slice_sampling.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "tests/check.hpp"

using placement::mpi::SliceSampling;

namespace {

struct Sampled {
  double counted = 0;    // messages that were counted, with their weights
  double real = 0;       // messages
  double in_slices = 0;  // messages while counting was on
};

// Sends rate(s) messages in slice s for `slices` slices, in rounds of a hundredth of a slice. Rounds without a message
// do not read the clock, like a program that computes. of(s) is the index, 0 or 1, of the sum to which the messages of
// slice s belong.
template <class Rate, class Part>
std::array<Sampled, 2> run_in_parts(std::uint64_t seed, int slices, Rate rate, Part of) {
  SliceSampling sampling(seed, 1000, 0);
  std::array<Sampled, 2> parts;
  double rest = 0;
  std::uint64_t counted = 0;
  for (int round = 1; round <= 100 * slices; ++round) {
    const double slice = round / 100.0;
    rest += rate(slice) / 100.0;
    const auto messages = static_cast<std::uint64_t>(rest);
    if (messages == 0) continue;
    rest -= static_cast<double>(messages);
    Sampled& part = parts[of(slice)];
    part.real += static_cast<double>(messages);
    if (sampling.counts()) {
      counted += messages * sampling.weight();
      part.counted += static_cast<double>(messages * sampling.weight());
      part.in_slices += static_cast<double>(messages);
    }
    const std::uint64_t now = 1000 + static_cast<std::uint64_t>(round) * SliceSampling::usual_slice_ns / 100;
    if (now >= sampling.next_look()) sampling.look(now, counted);
  }
  return parts;
}

template <class Rate>
Sampled run(std::uint64_t seed, int slices, Rate rate) {
  return run_in_parts(seed, slices, rate, [](double) { return 0; })[0];
}

}  // namespace

START_TEST(few_messages_are_all_counted) {
  const Sampled all = run(1, 1000, [](double) { return static_cast<double>(SliceSampling::busy_messages - 8); });
  ck_assert(all.counted == all.real);
}
END_TEST

START_TEST(a_short_run_counts_everything) {
  const Sampled all = run(1, SliceSampling::spans_in_full, [](double) { return 1e6; });
  ck_assert(all.counted == all.real);
  const Sampled longer = run(1, SliceSampling::spans_in_full + 2, [](double) { return 1e6; });
  ck_assert(longer.in_slices < 7.1e6 && longer.counted > 7.9e6);
}
END_TEST

// doc/mpi.md: a slice is some 25 ms. Less than half of a run of a second is counted, and the sum is still close.
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
  ck_assert_double_lt(most, 1.12);
  ck_assert_double_gt(mean, 0.98);
  ck_assert_double_lt(mean, 1.02);
}
END_TEST

START_TEST(many_messages_are_counted_in_a_tenth_of_the_time) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sampled all = run(seed, 2000, [](double) { return 25000.0; });
    const double in_full = 25000.0 * SliceSampling::spans_in_full;
    ck_assert(all.in_slices - in_full < 0.11 * all.real && all.in_slices - in_full > 0.08 * all.real);
    ck_assert(std::abs(all.counted / all.real - 1) < 0.02);
  }
}
END_TEST

START_TEST(phases_of_a_program_keep_their_shares) {
  for (const double period : {3.0, 10.0, 37.0}) {  // in slices; the first half sends four times as much
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

// A program sends and computes in turn, and does not read the clock while it computes. Its first messages after
// computing have the same share of the counts as of the traffic, and so have the others.
START_TEST(bursts_are_counted_as_they_are) {
  struct Case {
    double burst, period;  // in slices
  };
  for (const Case& each : {Case{2, 40}, Case{0.5, 12}, Case{8, 20}, Case{30, 33}}) {
    const double burst = each.burst, period = each.period;
    const auto rate = [&](double slice) { return std::fmod(slice, period) < burst ? 25000.0 : 0.0; };
    const auto half = [&](double slice) { return std::fmod(slice, period) < burst / 2 ? 0 : 1; };
    std::array<Sampled, 2> sum;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const std::array<Sampled, 2> parts = run_in_parts(seed, 4000, rate, half);
      for (int k = 0; k < 2; ++k) {
        sum[k].counted += parts[k].counted;
        sum[k].real += parts[k].real;
      }
    }
    for (const Sampled& part : sum)
      ck_assert_msg(std::abs(part.counted / part.real - 1) < 0.05, "bursts of %g in %g slices: %g of %g", burst, period,
                    part.counted, part.real);
  }
}
END_TEST

// Each moment of a span is in its slice with the same probability, and a slice takes the same time wherever it is.
START_TEST(every_place_of_a_span_is_as_likely) {
  constexpr std::uint64_t slice = 200;
  std::vector<int> times(10 * slice / 20);
  int spans = 0;
  SliceSampling sampling(7, 0, 0, slice);
  std::uint64_t messages = 0, begin = 0, in_slice = 0;
  for (std::uint64_t now = 1; spans < 4000; ++now) {
    if (sampling.counts()) messages += 100 * sampling.weight();
    if (now < sampling.next_look()) continue;
    sampling.look(now, messages);
    if (sampling.weight() != 10) continue;
    if (begin == 0 || now == begin + 10 * slice) {
      ck_assert(begin == 0 || in_slice == slice);
      begin = now;
      in_slice = 0;
      ++spans;
    }
    if (!sampling.counts()) continue;
    in_slice += sampling.next_look() - now;
    for (std::uint64_t at = (now - begin + 19) / 20 * 20; at < sampling.next_look() - begin; at += 20) ++times[at / 20];
  }
  for (const int count : times) ck_assert_msg(std::abs(count - 400) < 100, "%d of 4000 spans, wanted a tenth", count);
}
END_TEST

// The program computes for a minute. Then a new span begins, whose weight does not include this minute.
START_TEST(a_span_does_not_stand_for_what_follows_it) {
  SliceSampling sampling(1, 0, 0, 1000);
  std::uint64_t messages = 0;
  while (sampling.weight() == 1) sampling.look(sampling.next_look(), messages += 10000);
  sampling.look(sampling.next_look() + 2400 * 1000, messages + 20000);
  ck_assert_uint_eq(sampling.weight(), 2);  // the first spans take two slices
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
  tcase_add_test(tests, bursts_are_counted_as_they_are);
  tcase_add_test(tests, every_place_of_a_span_is_as_likely);
  tcase_add_test(tests, a_span_does_not_stand_for_what_follows_it);
  tcase_add_test(tests, a_rank_that_becomes_quiet_counts_everything_again);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/outage.hpp"

#include <cmath>

#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

// Adds slots of many nodes. Each node fails at random with its own probability per slot.
void live(OutageEstimator& estimator, const std::vector<double>& rate, int slots, std::uint64_t seed) {
  Random random(seed);
  std::vector<SlotSeen> slot(rate.size());
  for (int s = 0; s < slots; ++s) {
    for (std::size_t i = 0; i < rate.size(); ++i)
      slot[i] = {1, random.below(1000000) < static_cast<std::int32_t>(rate[i] * 1e6)};
    estimator.see(slot);
  }
}

// Returns the probabilities of an outage within the next hour when nothing is known of the present one.
std::vector<double> next_hour(const OutageEstimator& estimator, std::size_t nodes) {
  return estimator.probabilities(std::vector<SlotSeen>(nodes), outage_slot_s);
}

constexpr std::string_view names[] = {"beta", "moving-average", "weighted-moving-average"};

}  // namespace

START_TEST(before_anything_is_seen) {
  const std::vector<SlotSeen> none(3);
  const OutageEstimator beta(3, "beta", {});
  // One outage in a year means a probability of 1 - exp(-1/365) within a day.
  for (const double p : beta.probabilities(none, 86400)) ck_assert_double_eq_tol(p, -std::expm1(-1.0 / 365), 1e-6);
  for (const double p : beta.probabilities(none, 0)) ck_assert_double_eq(p, 0);
  for (const double p : beta.probabilities(none, 1e12)) ck_assert_double_le(p, 1);
  for (const std::string_view name : {names[1], names[2]})
    for (const double p : OutageEstimator(3, name, {}).probabilities(none, 86400)) ck_assert_double_eq(p, 0);
  for (const char* const name : {"oracle", "", "Beta"})
    ck_assert_error(OutageEstimator(1, name, {}), "beta, moving-average or weighted-moving-average");
}
END_TEST

START_TEST(beta_by_hand) {
  OutageEstimator beta(2, "beta", {});
  // Without an outage all nodes have one probability, however long each was observed.
  beta.see(std::vector<SlotSeen>{{1, 0}, {0, 0}});
  ck_assert_double_eq(next_hour(beta, 2)[0], next_hour(beta, 2)[1]);
  ck_assert_double_eq_tol(next_hour(beta, 2)[0], 0.5 / 4381, 1e-12);
  // An outage: the rate of all nodes is (0.5 + 1) / (4380 + 3), and that of the node (0.5 + 1) / (0.5 / rate + 2). The
  // older of its two slots counts a little less.
  beta.see(std::vector<SlotSeen>{{1, 1}, {1, 0}});
  const double rate = 1.5 / 4383;
  ck_assert_double_eq_tol(next_hour(beta, 2)[0], 1.5 / (0.5 / rate + 2), 1e-6);
  ck_assert_double_eq_tol(next_hour(beta, 2)[1], 0.5 / (0.5 / rate + 1), 1e-9);
  // After a half-life without observation, half of the outage is left.
  for (int hour = 0; hour < 720; ++hour) beta.see(std::vector<SlotSeen>(2));
  ck_assert_double_eq_tol(next_hour(beta, 2)[0], 1.0 / (0.5 / rate + 1), 1e-6);
  // Outages of the present hour never make a probability above 1.
  for (const double p : beta.probabilities(std::vector<SlotSeen>{{1, 50}, {1, 50}}, outage_slot_s))
    ck_assert(p > 0 && p <= 1);
}
END_TEST

START_TEST(moving_average_by_hand) {
  OutageEstimator window(1, "moving-average", {});
  const auto see = [&](const SlotSeen& seen) { window.see(std::span(&seen, 1)); };
  see({1, 1});
  for (int hour = 1; hour < 100; ++hour) see({1, 0});
  ck_assert_double_eq_tol(next_hour(window, 1)[0], 0.01, 1e-9);
  for (int hour = 100; hour < 720; ++hour) see({0.5, 0});
  ck_assert_double_eq_tol(next_hour(window, 1)[0], 1.0 / 410, 1e-9);
  see({1, 0});  // placement.conf(5): the last 30 days, which are 720 hours
  ck_assert_double_eq(next_hour(window, 1)[0], 0);
}
END_TEST

START_TEST(weighted_moving_average_by_hand) {
  OutageEstimator weighted(2, "weighted-moving-average", {});
  weighted.see(std::vector<SlotSeen>{{1, 1}, {1, 0}});
  for (int hour = 0; hour < 720; ++hour) weighted.see(std::vector<SlotSeen>(2));
  ck_assert_double_eq_tol(next_hour(weighted, 2)[0], 0.5, 1e-9);  // half an outage; a share of a slot counts as one
  weighted.see(std::vector<SlotSeen>{{1, 0}, {1, 0}});
  ck_assert_double_eq_tol(next_hour(weighted, 2)[0], 0.5 / 1.5, 1e-3);
  ck_assert_double_eq(next_hour(weighted, 2)[1], 0);
}
END_TEST

// What the present hour has shown counts at once, and as much as when the hour is over.
START_TEST(the_slot_that_lasts) {
  for (const std::string_view name : names) {
    OutageEstimator estimator(4, name, {});
    std::vector<SlotSeen> open(4);
    open[2] = {1, 2};
    const std::vector<double> during = estimator.probabilities(open, 3600);
    ck_assert_double_gt(during[2], during[0]);
    estimator.see(open);
    const std::vector<double> after = next_hour(estimator, 4);
    for (std::size_t i = 0; i < 4; ++i) ck_assert_double_eq_tol(during[i], after[i], 1e-12);
  }
}
END_TEST

START_TEST(bad_nodes_are_found) {
  // As in [TOFA §6], 16 of 512 nodes fail at 2 % per slot. The others hardly ever fail.
  std::vector<double> rate(512, 0.00002);
  for (int i = 0; i < 16; ++i) rate[static_cast<std::size_t>(i * 31 + 5)] = 0.02;
  for (const std::string_view name : names) {
    OutageEstimator estimator(512, name, {});
    live(estimator, rate, 400, 11);
    const std::vector<double> p = next_hour(estimator, 512);
    double least_bad = 1, most_good = 0;
    for (std::size_t i = 0; i < 512; ++i) {
      if (rate[i] > 0.01) {
        least_bad = std::min(least_bad, p[i]);
        ck_assert_double_lt(p[i], 0.06);
      } else {
        most_good = std::max(most_good, p[i]);
      }
    }
    ck_assert_double_gt(least_bad, most_good);
  }
}
END_TEST

START_TEST(slots_of_a_history) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::vector<SpanRecord> spans = {{"a", 0, 5400}, {"a", 9000, 14400}, {"b", -100, 7200}, {"unknown", 0, 9999}};
  std::vector<OutageRecord> outages = {{"a", 5400, 9000, true, "silent", 5420},
                                       {"b", 7200, unknown_value, false, "planned", 7220},
                                       {"b", -50, 10, true, "silent", 0},
                                       {"unknown", 10, 20, true, "silent", 11}};
  std::vector<std::vector<SlotSeen>> slots;
  for_each_slot(names, spans, outages, 0, 14399,
                [&](std::span<const SlotSeen> slot) { slots.emplace_back(slot.begin(), slot.end()); });
  ck_assert_uint_eq(slots.size(), 3);  // the fourth slot is not over
  ck_assert(slots[0][0].share == 1 && slots[0][0].outages <= 0);
  ck_assert(slots[1][0].share == 1 && slots[1][0].outages > 0);  // half observed, but an outage makes the share 1
  ck_assert(slots[2][0].share == 0.5 && slots[2][0].outages <= 0);
  ck_assert(slots[0][1].share == 1 && slots[1][1].share == 1 && slots[2][1].share == 0);
  for (const auto& slot : slots) ck_assert(slot[1].outages <= 0 && slot[2].share == 0);
  int calls = 0;
  for_each_slot({}, {}, {}, 0, 7200, [&](std::span<const SlotSeen> slot) { calls += slot.empty(); });
  ck_assert_int_eq(calls, 2);
}
END_TEST

int main() {
  Suite* suite = suite_create("outage");
  TCase* tests = tcase_create("outage");
  tcase_add_test(tests, before_anything_is_seen);
  tcase_add_test(tests, beta_by_hand);
  tcase_add_test(tests, moving_average_by_hand);
  tcase_add_test(tests, weighted_moving_average_by_hand);
  tcase_add_test(tests, the_slot_that_lasts);
  tcase_add_test(tests, bad_nodes_are_found);
  tcase_add_test(tests, slots_of_a_history);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/outage.hpp"

#include <cmath>

#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

// Adds slots of many nodes, each of which fails at random with its own probability per slot.
void live(OutageForecasts& forecasts, const std::vector<double>& rate, int slots, std::uint64_t seed) {
  Random random(seed);
  std::vector<SlotSeen> slot(rate.size());
  for (int s = 0; s < slots; ++s) {
    for (std::size_t i = 0; i < rate.size(); ++i)
      slot[i] = {1, random.below(1000000) < static_cast<std::int32_t>(rate[i] * 1e6)};
    forecasts.see(slot);
  }
}

}  // namespace

START_TEST(before_anything_is_seen) {
  OutageForecasts forecasts(3, "beta", {});
  ck_assert_text_eq(forecasts.in_use(), "constant");
  // One outage in a year means a probability of 1 - exp(-1/365) within a day.
  ck_assert_double_eq_tol(forecasts.probability(0, 86400), -std::expm1(-1.0 / 365), 1e-6);
  ck_assert_double_eq(forecasts.probability(0, 0), 0);
  ck_assert_double_le(forecasts.probability(0, 1e12), 1);
  ck_assert(std::isnan(forecasts.score("beta").log_loss()));
  ck_assert(forecasts.explain().find("only 0 outages") != std::string::npos);
  ck_assert_error(OutageForecasts(1, "oracle", {}), "no outage estimator 'oracle'");
  ck_assert_error(forecasts.score("oracle"), "beta, ewma, window or constant");
}
END_TEST

START_TEST(estimators_by_hand) {
  OutageSettings settings;
  const double common_rate = 0.01;
  const auto beta = make_outage_estimator("beta", 2, settings);
  ck_assert_double_eq_tol(beta->slot_probability(0, common_rate), common_rate, 1e-12);
  // An hour with an outage gives (0.5 + 1) / (0.5 / 0.01 + 1).
  beta->see(0, {1, true});
  ck_assert_double_eq_tol(beta->slot_probability(0, common_rate), 1.5 / 51, 1e-12);
  ck_assert_double_eq_tol(beta->slot_probability(1, common_rate), common_rate, 1e-12);
  for (int i = 0; i < 50; ++i) beta->see(1, {1, false});
  ck_assert_double_lt(beta->slot_probability(1, common_rate), common_rate);
  ck_assert_double_gt(beta->slot_probability(1, common_rate), 0);
  // After a half-life without observation, half of the outage is left.
  for (int i = 0; i < 720; ++i) beta->see(0, {0, false});
  ck_assert_double_eq_tol(beta->slot_probability(0, common_rate), 1.0 / 50.5, 1e-9);

  const auto window = make_outage_estimator("window", 1, settings);
  ck_assert_double_eq(window->slot_probability(0, common_rate), 0);
  // placement.conf(5): the frequency in the last 30 days, which are 720 hours.
  const auto month = make_outage_estimator("window", 1, settings);
  month->see(0, {1, true});
  for (int hour = 1; hour < 720; ++hour) month->see(0, {1, false});
  ck_assert_double_gt(month->slot_probability(0, common_rate), 0);
  month->see(0, {1, false});
  ck_assert_double_eq(month->slot_probability(0, common_rate), 0);
  window->see(0, {1, true});
  for (int i = 0; i < 99; ++i) window->see(0, {1, false});
  ck_assert_double_eq_tol(window->slot_probability(0, common_rate), 0.01, 1e-6);
  for (int i = 0; i < 720; ++i) window->see(0, {1, false});
  ck_assert_double_eq(window->slot_probability(0, common_rate), 0);  // after 30 days

  const auto ewma = make_outage_estimator("ewma", 1, settings);
  ck_assert_double_eq(ewma->slot_probability(0, common_rate), common_rate);
  for (int i = 0; i < 720; ++i) ewma->see(0, {1, false});
  ck_assert_double_eq_tol(ewma->slot_probability(0, common_rate), common_rate / 2, 1e-9);
  ck_assert_error(make_outage_estimator("", 1, settings), "beta, ewma or window");
}
END_TEST

START_TEST(the_slot_that_lasts) {
  OutageForecasts forecasts(4, "window", {});
  std::vector<SlotSeen> open(4);
  const double guess = forecasts.probability(0, 3600);
  for (const double p : forecasts.probabilities(open, 3600)) ck_assert_double_eq(p, guess);
  open[2] = {1, 2};
  // The rate of all nodes is (0.5 + 2) / (4380 + 1); that of the node is (0.5 + 2) / (0.5 / rate + 1).
  const double common_rate = 2.5 / 4381;
  std::vector<double> all = forecasts.probabilities(open, 3600);
  ck_assert_double_eq_tol(all[2], 2.5 / (0.5 / common_rate + 1), 1e-9);
  ck_assert_double_eq_tol(all[0], common_rate, 1e-9);
  ck_assert_text_eq(forecasts.in_use(), "constant");
  // What is told is what the probabilities of the present slot come from.
  ck_assert_text_eq(forecasts.in_use(open), "beta");
  ck_assert(forecasts.explain(open).starts_with(
      "beta, until there are outages in 10 hours to judge estimators by: 2 outages in"));
  for (const EstimatorScore& one : forecasts.scores(open).scores) ck_assert_int_eq(one.in_use, one.name == "beta");
  forecasts.see(open);
  // After the slot is over, the result is what it was during the slot, and each outage counts.
  ck_assert_text_eq(forecasts.in_use(), "beta");
  ck_assert_double_eq_tol(forecasts.probability(2, 3600), all[2], 1e-9);
  ck_assert(forecasts.explain().starts_with(
      "beta, until there are outages in 10 hours to judge estimators by: 2 outages in"));
  all = forecasts.probabilities(std::vector<SlotSeen>(4), 3600);
  ck_assert_double_eq(all[2], forecasts.probability(2, 3600));
  for (const std::string_view name : outage_estimators) {
    const auto one = make_outage_estimator(name, 1, {}), other = make_outage_estimator(name, 1, {});
    one->see(0, {0.5, 0});
    other->see(0, {0.5, 0});
    other->see(0, {1, 1});
    ck_assert_double_eq_tol(one->slot_probability(0, 0.01, {1, 1}), other->slot_probability(0, 0.01),
                            name == "beta" ? 1e-4 : 1e-9);
  }
  ck_assert_double_le(make_outage_estimator("beta", 1, {})->slot_probability(0, 0.9, {1, 50}), 1);
}
END_TEST

START_TEST(equal_nodes_need_no_estimator) {
  OutageForecasts forecasts(50, "beta", {});
  live(forecasts, std::vector<double>(50, 0.002), 3000, 3);
  ck_assert_double_gt(forecasts.score("constant").seen(), 100);
  ck_assert_text_eq(forecasts.in_use(), "constant");
  ck_assert(forecasts.explain().find("no estimator has foretold outages better") != std::string::npos);
  ck_assert_double_eq_tol(forecasts.all_nodes_rate(), 0.002, 0.0003);
  ck_assert_double_eq(forecasts.probability(1, 3600), forecasts.probability(2, 3600));
  // The forecasts are calibrated.
  const OutageScore& score = forecasts.score("constant");
  ck_assert_double_eq_tol(score.foretold() / score.seen(), 1, 0.15);
  double weight = 0;
  for (const OutageScore::Bin& bin : score.calibration()) weight += bin.weight;
  ck_assert_double_eq(weight, score.weight());
}
END_TEST

START_TEST(bad_nodes_are_found) {
  // As in [TOFA §6], 16 of 512 nodes fail at 2 % per slot. The others hardly ever fail.
  std::vector<double> rate(512, 0.00002);
  for (int i = 0; i < 16; ++i) rate[static_cast<std::size_t>(i * 31 + 5)] = 0.02;
  OutageForecasts forecasts(512, "beta", {});
  live(forecasts, rate, 400, 11);
  ck_assert_text_eq(forecasts.in_use(), "beta");
  ck_assert_double_gt(forecasts.advantage("beta"), 2 * forecasts.advantage_error("beta"));
  ck_assert_double_lt(forecasts.score("beta").log_loss(), forecasts.score("constant").log_loss());
  double least_bad = 1, most_good = 0;
  for (std::int32_t i = 0; i < 512; ++i) {
    const double p = forecasts.probability(i, 3600);
    if (rate[static_cast<std::size_t>(i)] > 0.01) {
      least_bad = std::min(least_bad, p);
      ck_assert_double_lt(p, 0.06);
    } else {
      most_good = std::max(most_good, p);
    }
  }
  ck_assert_double_gt(least_bad, most_good);
  ck_assert(forecasts.explain().starts_with("beta: its log-loss is "));
}
END_TEST

START_TEST(another_that_is_better_stands_in) {
  // A frequency is 0 for a node that has not failed, so it excludes a failure. The log-loss punishes this.
  std::vector<double> rate(200, 0.0005);
  for (std::size_t i = 0; i < 10; ++i) rate[i] = 0.03;
  OutageForecasts forecasts(200, "window", {});
  live(forecasts, rate, 400, 5);
  ck_assert_double_lt(forecasts.score("beta").log_loss(), forecasts.score("window").log_loss());
  ck_assert_text_eq(forecasts.in_use(), "beta");
  ck_assert(forecasts.explain().find("window is no better") != std::string::npos);
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
  ck_assert(slots[0][0].share == 1 && !slots[0][0].failed());
  ck_assert(slots[1][0].share == 1 && slots[1][0].failed());  // half observed, but an outage makes the share 1
  ck_assert(slots[2][0].share == 0.5 && !slots[2][0].failed());
  ck_assert(slots[0][1].share == 1 && slots[1][1].share == 1 && slots[2][1].share == 0);
  for (const auto& slot : slots) ck_assert(!slot[1].failed() && slot[2].share == 0);
  int calls = 0;
  for_each_slot({}, {}, {}, 0, 7200, [&](std::span<const SlotSeen> slot) { calls += slot.empty(); });
  ck_assert_int_eq(calls, 2);
}
END_TEST

int main() {
  Suite* suite = suite_create("outage");
  TCase* tests = tcase_create("outage");
  tcase_add_test(tests, before_anything_is_seen);
  tcase_add_test(tests, estimators_by_hand);
  tcase_add_test(tests, the_slot_that_lasts);
  tcase_add_test(tests, equal_nodes_need_no_estimator);
  tcase_add_test(tests, bad_nodes_are_found);
  tcase_add_test(tests, another_that_is_better_stands_in);
  tcase_add_test(tests, slots_of_a_history);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/outage.hpp"

#include <cmath>

#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

constexpr double hour_s = 3600, day_s = 86400, now_s = 1.7e9;
constexpr OutageEstimator estimators[] = {OutageEstimator::beta, OutageEstimator::moving_average,
                                          OutageEstimator::weighted_moving_average};

// A node that was observed in the last `hours`, and failed `outages_h` hours ago.
NodeObservation observed(double hours, const std::vector<double>& outages_h = {}) {
  NodeObservation node;
  node.observed.push_back({now_s - hours * hour_s, now_s});
  for (const double ago : outages_h) node.outages.push_back(now_s - ago * hour_s);
  return node;
}

// Returns the probabilities of an outage within the next hour.
std::vector<double> next_hour(const std::vector<NodeObservation>& nodes, OutageEstimator estimator,
                              double now = now_s) {
  return outage_probabilities(nodes, estimator, now, hour_s);
}

}  // namespace

START_TEST(before_anything_is_seen) {
  const std::vector<NodeObservation> none(3);
  // One outage in a year means a probability of 1 - exp(-1/365) within a day.
  for (const double p : outage_probabilities(none, OutageEstimator::beta, now_s, day_s))
    ck_assert_double_eq_tol(p, -std::expm1(-1.0 / 365), 1e-6);
  for (const double p : outage_probabilities(none, OutageEstimator::beta, now_s, 0)) ck_assert_double_eq(p, 0);
  for (const double p : outage_probabilities(none, OutageEstimator::beta, now_s, 1e12)) ck_assert_double_le(p, 1);
  for (const OutageEstimator average : {estimators[1], estimators[2]})
    for (const double p : outage_probabilities(none, average, now_s, day_s)) ck_assert_double_eq(p, 0);
}
END_TEST

START_TEST(beta_by_hand) {
  // Without an outage all nodes have one probability, however long each was observed.
  std::vector<double> p = next_hour({observed(1), {}}, OutageEstimator::beta);
  ck_assert_double_eq(p[0], p[1]);
  ck_assert_double_eq_tol(p[0], 0.5 / 4381, 1e-12);
  // An outage: the rate of all nodes is (0.5 + 1) / (4380 + 3), and that of the node (0.5 + 1) / (0.5 / rate + 2).
  const double rate = 1.5 / 4383;
  std::vector<NodeObservation> two = {observed(2, {0.5}), observed(1)};
  p = next_hour(two, OutageEstimator::beta);
  ck_assert_double_eq_tol(p[0], 1.5 / (0.5 / rate + 2), 1e-6);
  ck_assert_double_eq_tol(p[1], 0.5 / (0.5 / rate + 1), 1e-9);
  // After a half-life without observation, half of the outage is left.
  p = next_hour(two, OutageEstimator::beta, now_s + 30 * day_s);
  ck_assert_double_eq_tol(p[0], 1.0 / (0.5 / rate + 1), 1e-6);
  // placement.conf(5): what is older than 90 days does not count.
  p = next_hour(two, OutageEstimator::beta, now_s + 91 * day_s);
  ck_assert_double_eq_tol(p[0], 0.5 / 4380, 1e-9);
  // Many outages within an hour never make a probability above 1.
  for (const double each : next_hour({observed(1, std::vector<double>(50, 0.5))}, OutageEstimator::beta))
    ck_assert(each > 0 && each <= 1);
}
END_TEST

START_TEST(moving_average_by_hand) {
  ck_assert_double_eq_tol(next_hour({observed(100, {99.5})}, OutageEstimator::moving_average)[0], 0.01, 1e-9);
  // placement.conf(5): the last 30 days, which are 720 hours
  ck_assert_double_eq_tol(next_hour({observed(1000, {719})}, OutageEstimator::moving_average)[0], 1.0 / 720, 1e-9);
  ck_assert_double_eq(next_hour({observed(1000, {721})}, OutageEstimator::moving_average)[0], 0);
}
END_TEST

START_TEST(weighted_moving_average_by_hand) {
  const std::vector<NodeObservation> two = {observed(1, {0.5}), observed(1)};
  const double later_s = now_s + 30 * day_s;
  const std::vector<double> p = next_hour(two, OutageEstimator::weighted_moving_average, later_s);
  ck_assert_double_eq_tol(p[0], 0.5, 1e-3);  // half an outage; less than an hour of observation counts as one
  ck_assert_double_eq(p[1], 0);
  NodeObservation again = two[0];
  again.observed.push_back({later_s - 3 * hour_s, later_s});
  ck_assert_double_eq_tol(next_hour({again}, OutageEstimator::weighted_moving_average, later_s)[0], 0.5 / 3.5, 1e-3);
}
END_TEST

// Observations in pieces count as the whole, and observations in the future, after the clock was set back, not at all.
START_TEST(pieces_and_a_clock_that_was_set) {
  for (const OutageEstimator estimator : estimators) {
    NodeObservation pieces = observed(0, {5});
    for (int i = 0; i < 100; ++i) pieces.observed.push_back({now_s - (i + 1) * hour_s, now_s - i * hour_s});
    ck_assert_double_eq_tol(next_hour({pieces}, estimator)[0], next_hour({observed(100, {5})}, estimator)[0], 1e-9);
    NodeObservation future = observed(100, {5});
    future.observed.push_back({now_s + hour_s, now_s + 9 * hour_s});
    ck_assert_double_eq(next_hour({future}, estimator)[0], next_hour({observed(100, {5})}, estimator)[0]);
  }
}
END_TEST

START_TEST(bad_nodes_are_found) {
  // As in [TOFA §6], 16 of 512 nodes fail at 2 % per hour. The others hardly ever fail.
  std::vector<NodeObservation> nodes(512, observed(400));
  Random random(11);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int hour = 0; hour < 400; ++hour)
      if (random.below(1000000) < (i % 31 == 5 && i < 496 ? 20000 : 20))
        nodes[i].outages.push_back(now_s - hour * hour_s);
  for (const OutageEstimator estimator : estimators) {
    const std::vector<double> p = next_hour(nodes, estimator);
    double least_bad = 1, most_good = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i % 31 == 5 && i < 496) {
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

int main() {
  Suite* suite = suite_create("outage");
  TCase* tests = tcase_create("outage");
  tcase_add_test(tests, before_anything_is_seen);
  tcase_add_test(tests, beta_by_hand);
  tcase_add_test(tests, moving_average_by_hand);
  tcase_add_test(tests, weighted_moving_average_by_hand);
  tcase_add_test(tests, pieces_and_a_clock_that_was_set);
  tcase_add_test(tests, bad_nodes_are_found);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
